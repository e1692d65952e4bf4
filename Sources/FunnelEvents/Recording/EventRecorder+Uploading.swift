import Foundation

/// What the recorder knows of its uploads.
struct UploadState: Sendable {
  /// The task that uploads one file after another; nil if there is nothing to upload.
  var task: Task<Void, Never>?
  /// The name of the file that is being uploaded.
  var inFlight: String?
  /// The number of uploads in a row that failed.
  var failures = 0
}

extension EventRecorder {
  /// Begins to upload closed files, unless that is under way.
  ///
  /// - Parameter atOnce: Whether to end the delay after a failure.
  func startUploads(atOnce: Bool = false) {
    guard configuration.upload != nil, !isClosed, folder?.closedFiles.isEmpty == false else { return }
    if atOnce, uploads.inFlight == nil {
      uploads.task?.cancel()
      uploads.task = nil
      uploads.failures = 0
    }
    guard uploads.task == nil else { return }
    let sleep = configuration.sleep
    // The recorder is held while a file is uploaded, not while the task waits.
    uploads.task = Task(priority: .utility) { [weak self] in
      while let delay = await self?.uploadOldest() {
        if delay > .zero { try? await sleep(delay) }
      }
    }
  }

  /// Uploads the oldest file and deletes it, and returns the delay until the next upload, or nil if the task is to end.
  private func uploadOldest() async -> Duration? {
    // A task that was cancelled has been replaced by another.
    guard !Task.isCancelled, !isClosed else { return nil }
    guard uploads.inFlight == nil, let upload = configuration.upload, let file = folder?.oldestClosedFile() else {
      uploads.task = nil
      return nil
    }
    uploads.inFlight = file.name
    defer { uploads.inFlight = nil }
    do {
      try await upload(configuration.directory.appendingPathComponent(file.name))
    } catch {
      guard !isClosed else { return nil }
      uploads.failures += 1
      let delay = delay(afterFailures: uploads.failures)
      tell(
        EventRecorderError(
          .upload, "\(file.name) was not uploaded (\(error)); it is tried again in \(delay.components.seconds) s"))
      return delay
    }
    uploads.failures = 0
    folder?.remove(file)
    return .zero
  }

  /// Returns a delay that doubles with each failure. It varies by half, so that devices do not return to a server all at once.
  private func delay(afterFailures failures: Int) -> Duration {
    var delay = configuration.uploadDelayMin
    for _ in 1..<max(failures, 1) where delay < configuration.uploadDelayMax { delay = delay * 2 }
    return min(delay, configuration.uploadDelayMax) * Double.random(in: 0.5...1)
  }
}
