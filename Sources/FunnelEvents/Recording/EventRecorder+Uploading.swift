import Foundation
import FunnelModel

/// The state of a recorder's uploads.
struct UploadState: Sendable {
  /// The task that uploads one file after another, or `nil` if there is nothing to upload.
  var task: Task<Void, Never>?
  /// The name of the file that is being uploaded, or `nil` if none is.
  var inFlight: String?
  /// The number of consecutive failures.
  var failures = 0
  /// The number of failures of each file, by which files are ordered. A file that always fails must not delay the others.
  var failuresByFile: [String: Int] = [:]
  /// The files that failed since the last success.
  var failedInARow: Set<String> = []
}

extension EventRecorder {
  /// Starts to upload closed files, unless that is in progress.
  ///
  /// - Parameter atOnce: Whether to end a delay after a failure.
  func startUploads(atOnce: Bool = false) {
    guard configuration.upload != nil, !isClosed, let folder, !folder.closedFiles.isEmpty else { return }
    if atOnce || shouldTryAnotherFile(of: folder), uploads.inFlight == nil {
      uploads.task?.cancel()
      uploads.task = nil
      uploads.failures = 0
    }
    guard uploads.task == nil else { return }
    let sleep = configuration.sleep
    // The task retains the recorder while it uploads a file, not while it sleeps.
    uploads.task = Task(priority: .utility) { [weak self] in
      while let delay = await self?.uploadNext() {
        if delay > .zero { try? await sleep(delay) }
      }
    }
  }

  /// Returns whether to upload a file that was never tried without waiting for the end of the delay after a failure.
  private func shouldTryAnotherFile(of folder: RecorderFolder) -> Bool {
    // If one file failed, the file may be the reason. If several did, the server is, which gets no request during the delay.
    uploads.failedInARow.count == 1 && folder.closedFiles.contains { uploads.failuresByFile[$0.name] == nil }
  }

  /// Returns the oldest of the files with the fewest failures, or `nil` if there is no file.
  private func nextFile(of folder: RecorderFolder) -> RecorderFolder.ClosedFile? {
    folder.forgetMissingFiles()
    let names = Set(folder.closedFiles.map(\.name))
    uploads.failuresByFile = uploads.failuresByFile.filter { names.contains($0.key) }
    return folder.closedFiles.min {
      (uploads.failuresByFile[$0.name] ?? 0, $0.first) < (uploads.failuresByFile[$1.name] ?? 0, $1.first)
    }
  }

  /// Uploads one file and deletes it. Returns the delay until the next upload, or `nil` if the task must end.
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
      report(error)
    }
    do {
      try await upload(configuration.directory.appendingPathComponent(file.name))
    } catch {
      guard !isClosed else { return nil }
      uploads.failures += 1
      uploads.failuresByFile[file.name, default: 0] += 1
      uploads.failedInARow.insert(file.name)
      let delay = delay(afterFailures: uploads.failures)
      report(
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

  /// Returns a delay that doubles with each failure, reduced by a random share of up to a half, so that not all devices
  /// retry at the same time.
  private func delay(afterFailures failures: Int) -> Duration {
    assert(failures > 0, "a delay follows a failure")
    var delay = configuration.uploadDelayMin
    for _ in 1..<failures where delay < configuration.uploadDelayMax { delay = delay * 2 }
    return min(delay, configuration.uploadDelayMax) * Double.random(in: 0.5...1)
  }
}
