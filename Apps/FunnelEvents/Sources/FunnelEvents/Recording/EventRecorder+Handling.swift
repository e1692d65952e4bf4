import Foundation
// The part of the recorder that handles messages from the queue, on the actor.

extension EventRecorder {
  /// Handles messages until the queue is empty. It never suspends, so no other call of the actor runs between two messages.
  func drain() {
    queue.drain { batch in
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
    case .write(let write): handle(write)
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
      // The status includes the files of earlier processes. A folder that can't be opened has reported that.
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

  /// Writes an event or an attempt in the folder, or holds it if the folder can't be opened yet.
  func handle(_ write: EventQueue.Write) {
    switch write {
    case .event(let event): record(event)
    case .attempt(let id, let flow): setAttempt(id, of: flow)
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

  private func record(_ event: EventQueue.Event) {
    do throws(EventRecorderError) {
      try append(event, to: try opened())
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
  private func hold(_ write: EventQueue.Write) {
    guard held.count < configuration.queuedEventsMax else {
      return drop(1, "the folder can't be opened; see the earlier problem")
    }
    held.append(write)
  }

  private func append(_ event: EventQueue.Event, to folder: RecorderFolder) throws(EventRecorderError) {
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
}

// The problems that the recorder reports.
extension EventRecorder {
  /// Records a problem and passes it to the app.
  func report(_ problem: EventRecorderError) {
    counts.lastProblem = problem
    configuration.onProblem?(problem)
  }

  /// Counts and reports events that are dropped.
  func drop(_ count: Int, _ reason: String) {
    assert(count > 0, "a report is about at least one event")
    if let folder { folder.countDropped(count) } else { counts.droppedEarly += count }
    report(EventRecorderError(.dropped, "\(count) \(count == 1 ? "event was" : "events were") dropped: \(reason)"))
  }
}
