import Foundation
/// The state of a recorder's uploads.
struct UploadState: Sendable {
  /// The task that uploads one file after another, or `nil` if there is nothing to upload.
  var task: Task<Void, Never>?
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
    guard configuration.upload != nil, !isClosed, let folder, !folder.closedFiles.files.isEmpty else { return }
    if atOnce || shouldTryAnotherFile(of: folder), !folder.closedFiles.isUploading {
      uploads.task?.cancel()
      uploads.task = nil
      uploads.failures = 0
    }
    guard uploads.task == nil else { return }
    let sleep = configuration.sleep
    // The task retains the recorder while it uploads a file, not while it sleeps.
    uploads.task = Task(priority: .utility) { [weak self] in
      while let delay = await self?.uploadNext() {
        // A sleep that throws was cancelled. The next call then ends the task.
        if delay > 0 { try? await sleep(delay) }
      }
    }
  }

  /// Returns whether to upload a file that was never tried without waiting for the end of the delay after a failure.
  private func shouldTryAnotherFile(of folder: RecorderFolder) -> Bool {
    // If one file failed, the file may be the reason. If several did, the server is, which gets no request during the delay.
    uploads.failedInARow.count == 1 && folder.closedFiles.files.contains { uploads.failuresByFile[$0.name] == nil }
  }

  /// Returns the oldest of the files with the fewest failures, or `nil` if there is no file.
  private func nextFile(of folder: RecorderFolder) -> ClosedFiles.File? {
    folder.closedFiles.forgetMissing()
    let names = Set(folder.closedFiles.files.map(\.name))
    uploads.failuresByFile = uploads.failuresByFile.filter { names.contains($0.key) }
    return folder.closedFiles.files.min {
      (uploads.failuresByFile[$0.name] ?? 0, $0.first) < (uploads.failuresByFile[$1.name] ?? 0, $1.first)
    }
  }

  /// Uploads one file and deletes it. Returns the delay until the next upload, or `nil` if the task must end.
  private func uploadNext() async -> TimeInterval? {
    // A task that was cancelled has been replaced by another.
    guard !Task.isCancelled, !isClosed else { return nil }
    guard let upload = configuration.upload, let file = beginUpload() else {
      uploads.task = nil
      return nil
    }
    do {
      try await upload(configuration.directory.appendingPathComponent(file))
    } catch {
      return isClosed ? nil : endFailedUpload(of: file, error)
    }
    uploads.failures = 0
    uploads.failuresByFile[file] = nil
    uploads.failedInARow = []
    // The folder is `nil` if the recorder was closed meanwhile. Another recorder may then use the file.
    folder?.closedFiles.endUpload(.delivered)
    return 0
  }

  /// Begins the upload of the next file and returns the file's name. Returns `nil` if there is no file, or if one is being
  /// uploaded.
  private func beginUpload() -> String? {
    guard let folder, !folder.closedFiles.isUploading, let file = nextFile(of: folder) else { return nil }
    do throws(EventRecorderError) {
      try folder.closedFiles.beginUpload(of: file, sentAt: Timestamp(configuration.clock()))
    } catch {
      report(error)
    }
    return file.name
  }

  /// Ends an upload that failed. Returns the delay until the next one.
  private func endFailedUpload(of file: String, _ error: any Error) -> TimeInterval {
    folder?.closedFiles.endUpload(.failed)
    uploads.failures += 1
    uploads.failuresByFile[file, default: 0] += 1
    uploads.failedInARow.insert(file)
    let delay = delay(afterFailures: uploads.failures)
    report(
      EventRecorderError(.upload, "\(file) was not uploaded (\(error)); the next try is in \(Int(delay)) s"))
    // Files closed during this upload found it in progress and did not start another.
    if let folder, shouldTryAnotherFile(of: folder) { return 0 }
    return delay
  }

  /// Returns a delay that doubles with each failure, reduced by a random share of up to a half, so that not all devices
  /// retry at the same time.
  private func delay(afterFailures failures: Int) -> TimeInterval {
    assert(failures > 0, "a delay follows a failure")
    var delay = configuration.uploadDelayMin
    for _ in 1..<failures where delay < configuration.uploadDelayMax { delay = delay * 2 }
    return min(delay, configuration.uploadDelayMax) * Double.random(in: 0.5...1)
  }
}
