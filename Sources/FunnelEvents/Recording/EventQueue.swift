import Foundation
import FunnelModel

/// A message that waits in memory until the recorder's folder can be opened.
enum HeldMessage: Sendable {
  case event(EventQueue.Event)
  case attempt(String?, flow: String)
}

/// The queue between the callers of a recorder and its actor.
///
/// A caller waits at most for other callers, never for the actor's work.
// The lock protects all variable properties.
final class EventQueue: @unchecked Sendable {
  typealias Reply = @Sendable (Result<Void, EventRecorderError>) -> Void

  /// An event with the times of the call that recorded it.
  struct Event: Sendable {
    var event: FunnelEvent
    var time: Timestamp
    var now: Timestamp
    var reply: Reply?
  }

  /// A request of a caller.
  enum Message: Sendable {
    case event(Event)
    /// The current attempt of a flow for later events, or `nil` to end it.
    case attempt(String?, flow: String)
    case context([String: EventValue], Reply)
    case flush(Reply)
    case closeFile(Reply)
    case close(Reply)
    case status(@Sendable (EventRecorder.Status) -> Void)
  }

  private let lock = NSLock()
  /// The number of waiting messages from which on events are dropped.
  private let eventsMax: Int
  private var messages: [Message] = []
  /// The number of events dropped since the last batch because the queue was full.
  private var droppedCount = 0
  /// Whether the actor was started and has not found the queue empty since.
  private var isDraining = false

  /// Creates an empty queue.
  init(eventsMax: Int) {
    precondition(eventsMax > 0, "a queue has room for an event")
    self.eventsMax = eventsMax
  }

  /// Appends a message. Returns whether the caller must start the actor.
  func push(_ message: Message) -> Bool {
    lock.withLock {
      if case .event(let event) = message, event.reply == nil, messages.count >= eventsMax {
        droppedCount += 1
        return false
      }
      messages.append(message)
      defer { isDraining = true }
      return !isDraining
    }
  }

  /// Removes and returns all messages, with the number of events dropped since the last call, or returns `nil` if there are
  /// no messages. The next ``push(_:)`` then starts the actor again.
  func takeAll() -> (messages: [Message], droppedCount: Int)? {
    lock.withLock {
      guard !messages.isEmpty else {
        isDraining = false
        return nil
      }
      defer {
        messages = []
        droppedCount = 0
      }
      return (messages, droppedCount)
    }
  }
}
