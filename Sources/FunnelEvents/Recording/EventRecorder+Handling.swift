import Foundation
import FunnelModel

// The part of the recorder that handles messages from the queue, on the actor.

extension EventRecorder {
  /// Handles messages until the queue is empty. It never suspends, so no other call of the actor runs between two messages.
  func drain() {
    while let batch = queue.takeAll() {
      if batch.droppedCount > 0 {
        drop(
          batch.droppedCount,
          "more than \(configuration.queuedEventsMax) events were waiting to be written; record fewer at once")
      }
      for message in batch.messages { handle(message) }
    }
  }

  private func handle(_ message: EventQueue.Message) {
    switch message {
    case .event(let event): handle(event)
    case .attempt(let id, let flow): setAttempt(id, of: flow)
    case .context(let context, let reply):
      reply(attempt { () throws(EventRecorderError) in try encoder.setContext(context) })
    case .flush(let reply): reply(attempt { () throws(EventRecorderError) in try opened().sync() })
    case .closeFile(let reply):
      reply(
        attempt { () throws(EventRecorderError) in
          try closeOpenFile(of: opened())
          startUploads(atOnce: true)
        })
    case .close(let reply): reply(attempt { () throws(EventRecorderError) in try shutDown() })
    case .status(let reply):
      // The status includes the files of earlier processes.
      if !isClosed { _ = try? opened() }
      reply(currentStatus())
    }
  }

  private func attempt(_ body: () throws(EventRecorderError) -> Void) -> Result<Void, EventRecorderError> {
    do throws(EventRecorderError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  private func setAttempt(_ id: String?, of flow: String) {
    do throws(EventRecorderError) {
      try opened().setAttempt(id, of: flow)
    } catch {
      // Later events belong to the attempt, so the message waits with them.
      if folder == nil, !isClosed { hold(.attempt(id, flow: flow)) } else { report(error) }
    }
  }

  private func handle(_ event: EventQueue.Event) {
    do throws(EventRecorderError) {
      try write(event, in: try opened())
      event.reply?(.success(()))
    } catch {
      if folder == nil, !isClosed, event.reply == nil {
        hold(.event(event))
      } else {
        report(error)
      }
      event.reply?(.failure(error))
    }
  }

  /// Stores a message until the folder can be opened.
  private func hold(_ message: HeldMessage) {
    guard held.count < configuration.queuedEventsMax else {
      return drop(1, "the folder can't be opened; see the earlier problem")
    }
    held.append(message)
  }

  private func write(_ event: EventQueue.Event, in folder: RecorderFolder) throws(EventRecorderError) {
    let line: [UInt8]
    do throws(EventRecorderError) {
      line = try encoder.line(
        of: event.event, at: event.time, attempt: event.event.flow.flatMap { folder.state.attempts[$0] },
        sequence: folder.state.nextSequence, now: event.now)
    } catch {
      counts.refused += 1
      throw error
    }
    if folder.isDue(adding: line.count, at: event.now, ageMax: configuration.fileAgeMax) {
      // If the file can't be closed, it stays open, and there may be room for the event.
      do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { report(error) }
      startUploads()
    }
    let isFirst = folder.openFile == nil
    do throws(EventRecorderError) {
      try folder.append(line, at: event.now)
    } catch {
      folder.countDropped(1)
      throw error
    }
    counts.recorded += 1
    if isFirst { scheduleAging() }
  }

  /// Returns the folder. If it is not open yet, opens it and handles the messages that waited for it.
  private func opened() throws(EventRecorderError) -> RecorderFolder {
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
    for message in waiting {
      switch message {
      case .event(let event): handle(event)
      case .attempt(let id, let flow): setAttempt(id, of: flow)
      }
    }
    return folder
  }

  private func shutDown() throws(EventRecorderError) {
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
    try folder.closeOpenFile(keeping: uploads.inFlight)
  }

  /// Starts the task that closes the open file when it reaches its maximum age.
  private func scheduleAging() {
    aging?.cancel()
    let sleep = configuration.sleep
    let age = configuration.fileAgeMax
    aging = Task(priority: .utility) { [weak self] in
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

  /// Records a problem and passes it to the app.
  func report(_ problem: EventRecorderError) {
    counts.lastProblem = problem
    configuration.onProblem?(problem)
  }

  /// Counts and reports events that are dropped.
  private func drop(_ count: Int, _ reason: String) {
    assert(count > 0, "a report is about at least one event")
    if let folder { folder.countDropped(count) } else { counts.droppedEarly += count }
    report(EventRecorderError(.dropped, "\(count) \(count == 1 ? "event was" : "events were") dropped: \(reason)"))
  }
}
