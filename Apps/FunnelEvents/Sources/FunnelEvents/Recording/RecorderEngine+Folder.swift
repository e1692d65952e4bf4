import Foundation

// The part of the engine that opens and releases its folder, and closes files by age.

extension RecorderEngine {
  /// Returns the folder. If it is not open yet, opens it and handles the messages that waited for it.
  func opened() throws(EventRecorderError) -> RecorderFolder {
    if let folder { return folder }
    guard !isClosed else { throw EventRecorderError(.closed, "the recorder was closed; create another") }
    let folder: RecorderFolder
    do throws(EventRecorderError) {
      folder = try RecorderFolder(
        RecorderFolder.Settings(
          path: configuration.directory.path, fileBytesMax: configuration.fileBytesMax,
          closedBytesMax: configuration.closedBytesMax, startsOptedOut: configuration.startsOptedOut, write: configuration.write
        ))
      // Without consent, nothing about a person is stored.
      if folder.state.subject == nil, !folder.isOptedOut {
        let subject = configuration.subject ?? Identity.randomSubject()
        try folder.change { $0.subject = subject }
      }
    } catch {
      // Each event tries again, but the problem is reported once.
      if counts.lastProblem != error { report(error) }
      throw error
    }
    self.folder = folder
    for problem in folder.takeProblems() { report(problem) }
    if counts.droppedEarly > 0 { folder.countDropped(counts.droppedEarly) }
    counts.droppedEarly = 0
    // The app was killed while it deleted them.
    if folder.isOptedOut { folder.deleteEvents() }
    if folder.openFile != nil { startTimers() }
    startUploads()
    let waiting = held
    held = []
    for write in waiting { handle(write) }
    return folder
  }

  /// Writes the messages that wait for the folder, and releases it. Later messages are rejected.
  ///
  /// - Throws: ``EventRecorderError`` if the folder can't be opened or written for them, or the state can't be stored. Nothing is lost: the
  ///   recorder stays open, with them.
  func shutDown() throws(EventRecorderError) {
    // The folder is tried a last time for the messages that wait for it.
    let folder = held.isEmpty ? folder : try opened()
    try requireWritten()
    try folder?.storeChange()
    cancelTasks()
    self.folder = nil
    isClosed = true
    try folder?.sync()
  }

  /// Closes the open file of the folder and reports the problems of the folder.
  func closeOpenFile(of folder: RecorderFolder) throws(EventRecorderError) {
    defer { for problem in folder.takeProblems() { report(problem) } }
    try folder.closeOpenFile()
    if writeFailure == nil { storageReasons = [] }
  }

  /// Starts the tasks that close the open file: when it is due to be delivered, and when it reaches its maximum age.
  func startTimers() {
    for timer in timers { timer.cancel() }
    timers = [timer(after: configuration.fileAgeMax) { $0.closeIfOld() }]
    guard configuration.uploader != nil else { return }
    timers.append(timer(after: configuration.flushInterval) { $0.deliverOpenFile() })
  }

  func timer(
    after seconds: TimeInterval, _ body: @escaping @Sendable (RecorderEngine) -> Void
  ) -> Task<Void, Never> {
    let sleep = configuration.sleep
    return Task(priority: .utility) { [weak self] in
      // A sleep that throws was cancelled: another file is open, or the recorder was closed.
      guard seconds.isFinite, (try? await sleep(seconds)) != nil else { return }
      self?.run(body)
    }
  }

  private func closeIfOld() {
    guard let folder, folder.isDue(adding: 0, at: configuration.moment(), ageMax: configuration.fileAgeMax) else { return }
    tryToCloseOpenFile(of: folder)
    startUploads()
  }

  /// Closes the open file and uploads it, unless uploads wait after a failure: a file for each half minute without a network would only
  /// be many small files.
  func deliverOpenFile() {
    guard let folder, folder.openFile != nil, configuration.uploader != nil, uploads.isOpenToOthers else { return }
    tryToCloseOpenFile(of: folder)
    startUploads()
  }

  /// Closes the open file, or reports why that failed, and tries again later.
  func tryToCloseOpenFile(of folder: RecorderFolder) {
    do throws(EventRecorderError) {
      try closeOpenFile(of: folder)
    } catch {
      reportStorage(error)
      scheduleRetry()
    }
  }
}
