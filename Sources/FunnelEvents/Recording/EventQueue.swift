import Foundation
import FunnelModel

/// What a recorder keeps in memory while its folder can't be opened.
enum HeldMessage: Sendable {
  case event(EventQueue.Event)
  case attempt(String?, flow: String)
}

/// The queue between the callers of a recorder and its actor. Whoever pushes waits at most for others that push.
final class EventQueue: @unchecked Sendable {
  typealias Reply = @Sendable (Result<Void, EventRecorderError>) -> Void

  /// An event with the times of the call that recorded it.
  struct Event: Sendable {
    var event: FunnelEvent
    var time: Timestamp
    var now: Timestamp
    var reply: Reply?
  }

  /// What a caller asks for.
  enum Message: Sendable {
    case event(Event)
    /// The run through a flow to which its events belong from now on, or nil for none.
    case attempt(String?, flow: String)
    case context([String: EventValue], Reply)
    case flush(Reply)
    case closeFile(Reply)
    case close(Reply)
    case status(@Sendable (EventRecorder.Status) -> Void)
  }

  private let lock = NSLock()
  private let eventsMax: Int
  private var messages: [Message] = []
  /// The number of events that found the queue full since the last batch.
  private var overflow = 0
  /// Whether the actor was started and has not yet found the queue empty.
  private var isDrained = false

  /// Creates an empty queue; further events are dropped while as many messages wait.
  init(eventsMax: Int) { self.eventsMax = eventsMax }

  /// Appends a message, and returns whether the caller must start the actor.
  func push(_ message: Message) -> Bool {
    lock.withLock {
      if case .event(let event) = message, event.reply == nil, messages.count >= eventsMax {
        overflow += 1
        return false
      }
      messages.append(message)
      defer { isDrained = true }
      return !isDrained
    }
  }

  /// Takes out all messages and the number of events that found the queue full, or returns nil if there are none: then the next
  /// ``push(_:)`` starts the actor again.
  func takeAll() -> (messages: [Message], overflow: Int)? {
    lock.withLock {
      guard !messages.isEmpty else {
        isDrained = false
        return nil
      }
      defer {
        messages = []
        overflow = 0
      }
      return (messages, overflow)
    }
  }
}
