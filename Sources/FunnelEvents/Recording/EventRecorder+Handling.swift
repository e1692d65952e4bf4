import Foundation
import FunnelModel

/// The actor's side of the queue.
extension EventRecorder {
  /// Handles messages until the queue is empty. Nothing here waits, so that nothing comes between two messages.
  func drain() {
    while let batch = queue.takeAll() {
      if batch.overflow > 0 {
        drop(
          batch.overflow, "more than \(configuration.queuedEventsMax) events were waiting to be written; record fewer at once")
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
      // The folder knows what earlier processes left.
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
      // The events that follow belong to it, so it waits with them.
      if folder == nil, !isClosed { hold(.attempt(id, flow: flow)) } else { tell(error) }
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
        tell(error)
      }
      event.reply?(.failure(error))
    }
  }

  /// Keeps a message until the folder can be opened.
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
      // If the file can't be closed it is still open, and the event may find room in it.
      do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { tell(error) }
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

  /// Returns the folder, which is opened if it is not yet. Then the events that waited for it are written.
  private func opened() throws(EventRecorderError) -> RecorderFolder {
    if let folder { return folder }
    guard !isClosed else { throw EventRecorderError(.closed, "the recorder was closed; create another") }
    let folder: RecorderFolder
    do throws(EventRecorderError) {
      folder = try RecorderFolder(
        at: configuration.directory.path, fileBytesMax: configuration.fileBytesMax, closedBytesMax: configuration.closedBytesMax
      )
    } catch {
      // It is tried again with each event, and told once.
      if counts.lastProblem != error { tell(error) }
      throw error
    }
    self.folder = folder
    for problem in folder.takeProblems() { tell(problem) }
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
    // The folder is tried a last time for what waits for it.
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

  func closeOpenFile(of folder: RecorderFolder) throws(EventRecorderError) {
    defer { for problem in folder.takeProblems() { tell(problem) } }
    try folder.closeOpenFile(keeping: uploads.inFlight)
  }

  /// Begins to wait until the open file is old enough to be closed.
  private func scheduleAging() {
    aging?.cancel()
    let (sleep, age) = (configuration.sleep, configuration.fileAgeMax)
    aging = Task(priority: .utility) { [weak self] in
      guard (try? await sleep(age)) != nil else { return }
      await self?.closeIfOld()
    }
  }

  private func closeIfOld() {
    guard let folder, folder.isDue(adding: 0, at: Timestamp(configuration.clock()), ageMax: configuration.fileAgeMax) else {
      return
    }
    do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { tell(error) }
    startUploads()
  }

  func tell(_ problem: EventRecorderError) {
    counts.lastProblem = problem
    configuration.onProblem?(problem)
  }

  private func drop(_ count: Int, _ reason: String) {
    if let folder { folder.countDropped(count) } else { counts.droppedEarly += count }
    tell(EventRecorderError(.dropped, "\(count) \(count == 1 ? "event was" : "events were") dropped: \(reason)"))
  }
}
