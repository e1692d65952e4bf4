import Foundation

// The part of the engine that handles messages from the queue.

extension RecorderEngine {
  /// Handles messages until the queue is empty.
  func drain() {
    requireOwnQueue()
    messages.drain { batch in
      if batch.droppedCount > 0 {
        drop(
          batch.droppedCount,
          "more than \(configuration.queuedEventsMax) events were waiting to be written; record fewer at once")
      }
      for message in batch.messages { handle(message) }
    }
  }

  private func handle(_ message: EventQueue.Message) {
    // What could not be stored was reported when it was changed.
    try? folder?.storeChange()
    switch message {
    case .write(let write): handle(write)
    case .setContext(let context, let reply): reply(attempt { () throws(EventRecorderError) in try setContext(context) })
    case .sync(let reply): reply(attempt { () throws(EventRecorderError) in try opened().sync() })
    case .closeFile(let reply):
      reply(
        attempt { () throws(EventRecorderError) in
          try closeOpenFile(of: opened())
          startUploads(atOnce: true)
        })
    case .flush(let reply): flush(reply)
    case .deleteAll(let reply): reply(attempt { () throws(EventRecorderError) in try deleteAll() })
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

  /// Writes an event or a change in the folder, or holds it if the folder can't be opened yet.
  func handle(_ write: EventQueue.Write) {
    switch write {
    case .event(let event): record(event)
    case .change(let change, let now):
      do throws(EventRecorderError) {
        try apply(change, in: opened(), now: now)
      } catch {
        // Later events depend on the change, so it waits with them.
        if folder == nil, !isClosed { hold(write) } else { report(error) }
      }
    }
  }

  private func record(_ event: EventQueue.Event) {
    do throws(EventRecorderError) {
      let folder = try opened()
      guard !folder.state.isOptedOut else {
        event.reply?(.failure(EventRecorderError(.optedOut, "recording is stopped; call optIn() to record again")))
        return
      }
      try append(event, to: folder)
      event.reply?(.success(()))
    } catch {
      if folder == nil, !isClosed, event.reply == nil { hold(.event(event)) } else { report(error) }
      event.reply?(.failure(error))
    }
  }

  /// Stores a message until the folder can be opened.
  private func hold(_ write: EventQueue.Write) {
    if case .event = write, held.count >= configuration.queuedEventsMax {
      return drop(1, "the folder can't be opened; see the earlier problem")
    }
    held.append(write)
  }

  func append(_ event: EventQueue.Event, to folder: RecorderFolder) throws(EventRecorderError) {
    let line: [UInt8]
    let state = folder.state
    guard let identity = state.identity else { preconditionFailure("an open folder has a subject") }
    do throws(EventRecorderError) {
      line = try encoder.line(
        of: event.event, at: event.time, identity: identity, attempt: event.event.flow.flatMap { state.attempts[$0] },
        sequence: state.nextSequence, id: "\(state.folderID)-\(state.nextSequence)", now: event.now)
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
    if isFirst { startTimers() }
    if let count = folder.openFile?.eventCount, count.isMultiple(of: configuration.flushEventCount) { deliverOpenFile() }
  }
}
