import Foundation
// The part of the recorder that opens and releases its folder, and closes files by age.

extension EventRecorder {
  /// Returns the folder. If it is not open yet, opens it and handles the messages that waited for it.
  func opened() throws(EventRecorderError) -> RecorderFolder {
    if let folder { return folder }
    guard !isClosed else { throw EventRecorderError(.closed, "the recorder was closed; create another") }
    let folder: RecorderFolder
    do throws(EventRecorderError) {
      folder = try RecorderFolder(
        at: configuration.directory.path, fileBytesMax: configuration.fileBytesMax, closedBytesMax: configuration.closedBytesMax
      )
    } catch {
      // Each event tries again, but the problem is reported once.
      if counts.lastProblem != error { report(error) }
      throw error
    }
    self.folder = folder
    for problem in folder.takeProblems() { report(problem) }
    if folder.openFile != nil { scheduleAging() }
    startUploads()
    let waiting = held
    held = []
    for write in waiting { handle(write) }
    return folder
  }

  /// Writes the messages that wait for the folder, and releases it. Later messages are rejected.
  func shutDown() throws(EventRecorderError) {
    defer {
      folder = nil
      isClosed = true
      aging?.cancel()
      uploads.task?.cancel()
      held = []
    }
    // The folder is tried a last time for the messages that wait for it.
    if folder == nil, !held.isEmpty {
      do throws(EventRecorderError) {
        _ = try opened()
      } catch {
        let events = held.count { if case .event = $0 { true } else { false } }
        if events > 0 { drop(events, "the folder could not be opened before the recorder was closed") }
        throw error
      }
    }
    try folder?.sync()
  }

  /// Closes the open file of the folder and reports the problems of the folder.
  func closeOpenFile(of folder: RecorderFolder) throws(EventRecorderError) {
    defer { for problem in folder.takeProblems() { report(problem) } }
    try folder.closeOpenFile()
  }

  /// Starts the task that closes the open file when it reaches its maximum age.
  func scheduleAging() {
    aging?.cancel()
    let sleep = configuration.sleep
    let age = configuration.fileAgeMax
    aging = Task(priority: .utility) { [weak self] in
      // A sleep that throws was cancelled: another task has replaced this one, or the recorder was closed.
      guard (try? await sleep(age)) != nil else { return }
      await self?.closeIfOld()
    }
  }

  private func closeIfOld() {
    guard let folder, folder.isDue(adding: 0, at: Timestamp(configuration.clock()), ageMax: configuration.fileAgeMax) else {
      return
    }
    do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { report(error) }
    startUploads()
  }
}
