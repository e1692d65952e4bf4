import Foundation

// The part of the engine that writes events. An event that can't be written, such as on a full disk, waits in memory.

extension RecorderEngine {
  /// Validates an event, and writes it, or keeps it in memory if it can't be written now.
  ///
  /// - Throws: ``EventRecorderError`` if the event is rejected, or if it can't be written and a caller waits for it. It is then not kept.
  func append(_ event: EventQueue.Event, to folder: RecorderFolder) throws(EventRecorderError) {
    let line = try self.line(of: event, in: folder)
    if event.reply != nil { writeWaiting() }
    do throws(EventRecorderError) {
      if let writeFailure { throw writeFailure }
      try write(line, in: folder)
    } catch {
      if event.reply != nil {
        folder.countDropped(1)
        throw error
      }
      letWait(line, in: folder, because: error)
    }
  }

  private func line(of event: EventQueue.Event, in folder: RecorderFolder) throws(EventRecorderError) -> WaitingLines.Line {
    let state = folder.state
    guard let identity = state.identity else { preconditionFailure("a folder that records has a subject") }
    do throws(EventRecorderError) {
      let bytes = try encoder.line(
        of: event.event, at: event.time, identity: identity, attempt: event.event.flow.flatMap { state.attempts[$0] },
        sequence: state.nextSequence, id: "\(state.folderID)-\(state.nextSequence)", now: event.now.time)
      return WaitingLines.Line(bytes: bytes, sequence: state.nextSequence, recorded: event.now)
    } catch {
      counts.refused += 1
      throw error
    }
  }

  /// Writes a line, into another file if the open one is full or old, or if the device's clock was set.
  private func write(_ line: WaitingLines.Line, in folder: RecorderFolder) throws(EventRecorderError) {
    if folder.isDue(adding: line.bytes.count, at: line.recorded, ageMax: configuration.fileAgeMax) {
      // If the file can't be closed, it stays open, and there may be room for the event.
      do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { reportStorage(error) }
      startUploads()
    }
    let isFirst = folder.openFile?.eventCount ?? 0 == 0
    try folder.append(line)
    counts.recorded += 1
    if isFirst { startTimers() }
    if let count = folder.openFile?.eventCount, count.isMultiple(of: configuration.flushEventCount) { deliverOpenFile() }
  }

  private func letWait(_ line: WaitingLines.Line, in folder: RecorderFolder, because failure: EventRecorderError) {
    writeFailure = failure
    reportStorage(failure)
    guard folder.waiting.count < configuration.queuedEventsMax else {
      return drop(1, "\(configuration.queuedEventsMax) events wait for room on the disk; free some space")
    }
    folder.letWait(line)
    scheduleRetry()
  }

  /// Tries to write the lines that wait. ``writeFailure`` is `nil` afterwards if all were written.
  func writeWaiting() {
    guard let folder, writeFailure != nil else { return }
    defer { folder.noteUnstored() }
    while let line = folder.waiting.first {
      do throws(EventRecorderError) {
        try write(line, in: folder)
      } catch {
        writeFailure = error
        return reportStorage(error)
      }
      folder.removeFirstWaiting()
    }
    writeFailure = nil
    storageReasons = []
  }

  /// Tries to write the lines that wait.
  ///
  /// - Throws: ``EventRecorderError`` if a line can't be written.
  func requireWritten() throws(EventRecorderError) {
    writeWaiting()
    if let writeFailure { throw writeFailure }
  }

  /// Tries again after a while to write the lines that wait, and to close a file.
  func scheduleRetry() {
    guard retryTimer == nil else { return }
    retryTimer = timer(after: configuration.flushInterval) { engine in
      engine.retryTimer = nil
      engine.writeWaiting()
      engine.deliverOpenFile()
      if engine.writeFailure != nil { engine.scheduleRetry() }
    }
  }

  /// Reports a failure to write or to close a file, unless one with the same reason was reported since that last succeeded.
  func reportStorage(_ problem: EventRecorderError) {
    // A message ends with the reason and the remedy; before, it names the file.
    let reason = problem.message.range(of: ": ", options: .backwards).map { problem.message[$0.upperBound...] }
    if storageReasons.insert(String(reason ?? problem.message[...])).inserted { report(problem) }
  }
}
