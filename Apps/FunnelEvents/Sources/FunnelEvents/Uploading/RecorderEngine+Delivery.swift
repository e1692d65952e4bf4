import Foundation

// The part of the engine whose callers wait for deliveries.

extension RecorderEngine {
  /// Closes the open file and uploads each closed file once. The reply comes when all were tried, or when no more will be tried now.
  ///
  /// On a full disk, the closed files are uploaded first: each one makes room for the others.
  func flush(_ reply: @escaping @Sendable (Result<EventRecorder.Delivery, EventRecorderError>) -> Void) {
    let folder: RecorderFolder
    do throws(EventRecorderError) {
      folder = try opened()
    } catch {
      return reply(.failure(error))
    }
    writeWaiting()
    tryToCloseOpenFile(of: folder)
    var waiter = DeliveryWaiter(reply: reply)
    waiter.expect(folder.closedFiles.files, unclosedCount: folder.unclosedCount)
    uploads.waiters.append(waiter)
    startUploads(atOnce: true)
    if configuration.uploader == nil { endWaits() }
  }

  /// Notes for all waiting callers that a file was tried, and answers those for whom it was the last.
  func noteEnd(of file: ClosedFiles.File, _ fate: FileFate) {
    for index in uploads.waiters.indices { uploads.waiters[index].end(file.name, fate) }
    let done = uploads.waiters.filter(\.eventCounts.isEmpty)
    uploads.waiters.removeAll(where: \.eventCounts.isEmpty)
    for waiter in done { waiter.finish() }
  }

  /// Answers all waiting callers, because no more files are tried now.
  func endWaits() {
    let waiters = uploads.waiters
    uploads.waiters = []
    for waiter in waiters { waiter.finish() }
  }
}
