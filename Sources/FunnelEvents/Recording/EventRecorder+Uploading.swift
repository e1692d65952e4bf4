import Foundation
import FunnelModel

/// What the recorder knows of its uploads.
struct UploadState: Sendable {
  /// The task that uploads one file after another; nil if there is nothing to upload.
  var task: Task<Void, Never>?
  /// The name of the file that is being uploaded.
  var inFlight: String?
  /// The number of uploads in a row that failed.
  var failures = 0
  /// The number of failures of each file that failed: one that always does must not hold up the others.
  var failuresByFile: [String: Int] = [:]
  /// The files of which an upload failed since one succeeded.
  var failedInARow: Set<String> = []
}

extension EventRecorder {
  /// Begins to upload closed files, unless that is under way.
  ///
  /// - Parameter atOnce: Whether to end the delay after a failure.
  func startUploads(atOnce: Bool = false) {
    guard configuration.upload != nil, !isClosed, let folder, !folder.closedFiles.isEmpty else { return }
    if atOnce || shouldTryAnotherFile(of: folder), uploads.inFlight == nil {
      uploads.task?.cancel()
      uploads.task = nil
      uploads.failures = 0
    }
    guard uploads.task == nil else { return }
    let sleep = configuration.sleep
    // The recorder is held while a file is uploaded, not while the task waits.
    uploads.task = Task(priority: .utility) { [weak self] in
      while let delay = await self?.uploadNext() {
        if delay > .zero { try? await sleep(delay) }
      }
    }
  }

  /// Whether a file that was never tried should be uploaded without waiting for the delay after a failure.
  private func shouldTryAnotherFile(of folder: RecorderFolder) -> Bool {
    // One failed file may be the fault of the file. Several are the fault of the server, which gets no request until the delay is over.
    uploads.failedInARow.count == 1 && folder.closedFiles.contains { uploads.failuresByFile[$0.name] == nil }
  }

  /// Returns the file to upload next: of those that failed least often the oldest.
  private func nextFile(of folder: RecorderFolder) -> RecorderFolder.ClosedFile? {
    folder.forgetMissingFiles()
    let names = Set(folder.closedFiles.map(\.name))
    uploads.failuresByFile = uploads.failuresByFile.filter { names.contains($0.key) }
    return folder.closedFiles.min {
      (uploads.failuresByFile[$0.name] ?? 0, $0.first) < (uploads.failuresByFile[$1.name] ?? 0, $1.first)
    }
  }

  /// Uploads one file and deletes it, and returns the delay until the next upload, or nil if the task is to end.
  private func uploadNext() async -> Duration? {
    // A task that was cancelled has been replaced by another.
    guard !Task.isCancelled, !isClosed else { return nil }
    guard uploads.inFlight == nil, let upload = configuration.upload, let folder, let file = nextFile(of: folder) else {
      uploads.task = nil
      return nil
    }
    uploads.inFlight = file.name
    defer { uploads.inFlight = nil }
    do throws(EventRecorderError) {
      try folder.stamp(file, sentAt: Timestamp(configuration.clock()))
    } catch {
      tell(error)
    }
    do {
      try await upload(configuration.directory.appendingPathComponent(file.name))
    } catch {
      guard !isClosed else { return nil }
      uploads.failures += 1
      uploads.failuresByFile[file.name, default: 0] += 1
      uploads.failedInARow.insert(file.name)
      let delay = delay(afterFailures: uploads.failures)
      tell(
        EventRecorderError(
          .upload, "\(file.name) was not uploaded (\(error)); the next try is in \(delay.components.seconds) s"))
      // Files closed during this upload found it in flight and did not start another.
      if let folder = self.folder, shouldTryAnotherFile(of: folder) { return .zero }
      return delay
    }
    uploads.failures = 0
    uploads.failuresByFile[file.name] = nil
    uploads.failedInARow = []
    self.folder?.remove(file)
    return .zero
  }

  /// Returns a delay that doubles with each failure. It varies by half, so that devices do not return to a server all at once.
  private func delay(afterFailures failures: Int) -> Duration {
    var delay = configuration.uploadDelayMin
    for _ in 1..<max(failures, 1) where delay < configuration.uploadDelayMax { delay = delay * 2 }
    return min(delay, configuration.uploadDelayMax) * Double.random(in: 0.5...1)
  }
}
