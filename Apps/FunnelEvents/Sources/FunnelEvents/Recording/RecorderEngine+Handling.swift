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
      writeWaiting()
      for message in batch.messages { handle(message) }
    }
  }

  private func handle(_ message: EventQueue.Message) {
    // What could not be stored was reported when it was changed.
    try? folder?.storeChange()
    switch message {
    case .write(let write): handle(write)
    case .setContext(let context, let reply): reply(attempt { () throws(EventRecorderError) in try setContext(context) })
    case .sync(let reply): reply(attempt { () throws(EventRecorderError) in try sync() })
    case .closeFile(let reply): reply(attempt { () throws(EventRecorderError) in try closeFile() })
    case .flush(let reply): flush(reply)
    case .deleteAll(let reply): reply(attempt { () throws(EventRecorderError) in try deleteAll() })
    case .close(let reply): reply(attempt { () throws(EventRecorderError) in try shutDown() })
    case .status(let reply):
      // The status includes the files of earlier processes. A folder that can't be opened has reported that.
      if !isClosed { _ = try? opened() }
      reply(currentStatus())
    }
  }

  private func sync() throws(EventRecorderError) {
    let folder = try opened()
    try requireWritten()
    try folder.storeChange()
    try folder.sync()
  }

  private func closeFile() throws(EventRecorderError) {
    let folder = try opened()
    // Earlier files are uploaded all the same: each one makes room.
    defer { startUploads(atOnce: true) }
    try requireWritten()
    try closeOpenFile(of: folder)
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
      guard !folder.isOptedOut else {
        event.reply?(.failure(.recordingIsStopped))
        return
      }
      try append(event, to: folder)
      event.reply?(.success(()))
    } catch {
      if isOptOutHeld {
        event.reply?(.failure(.recordingIsStopped))
        return
      }
      if folder == nil, !isClosed, event.reply == nil { hold(.event(event)) } else { report(error) }
      event.reply?(.failure(error))
    }
  }

  /// Stores a message until the folder can be opened.
  private func hold(_ write: EventQueue.Write) {
    if case .event = write, held.count >= configuration.queuedEventsMax {
      return drop(1, "the folder can't be opened; see the earlier problem")
    }
    if case .change(.optedOut(true), _) = write { forgetHeld() }
    held.append(write)
  }

  /// Whether an opt-out waits for the folder. It is in force already.
  var isOptOutHeld: Bool { heldChoice == true }

  /// Whether the person has opted out while the folder could not be opened, or `nil` for no choice.
  var heldChoice: Bool? {
    held.reversed().lazy.compactMap { if case .change(.optedOut(let isOptedOut), _) = $0 { isOptedOut } else { nil } }.first
  }

  /// Forgets the events and the persons that wait for the folder.
  private func forgetHeld() {
    held.removeAll {
      switch $0 {
      case .event, .change(.attempt, _), .change(.subject, _), .change(.user, _), .change(.reset, _): true
      case .change(.context, _), .change(.optedOut, _): false
      }
    }
  }
}
