import Foundation

/// The queue between the callers of a recorder and its engine.
///
/// A caller waits at most for other callers, never for the engine's work. One consumer at a time takes the messages:
/// ``push(_:startingConsumer:)`` starts it, and it ends when ``drain(_:)`` returns because the queue is empty.
// The lock protects all variable properties.
final class EventQueue: @unchecked Sendable {
  /// Resumes the caller that waits for the result of a message. It is called exactly once.
  typealias Reply = @Sendable (Result<Void, EventRecorderError>) -> Void

  /// An event with the times of the call that recorded it.
  struct Event: Sendable {
    var event: FunnelEvent
    var time: Timestamp
    var now: Moment
    /// Resumes the caller, or `nil` if no caller waits. Only an event for which no caller waits is dropped or held.
    var reply: Reply?
  }

  /// A change of who or what later events are about.
  enum Change: Sendable, Hashable {
    /// The current attempt of a flow, or `nil` to end it.
    case attempt(String?, flow: String)
    case context([String: EventValue])
    case subject(String)
    case user(String?)
    case reset(subject: String)
    case optedOut(Bool)
  }

  /// A message that changes the recorder's folder. It is held in memory until the folder can be opened.
  enum Write: Sendable {
    case event(Event)
    case change(Change, now: Moment)
  }

  /// A request of a caller.
  enum Message: Sendable {
    case write(Write)
    case setContext([String: EventValue], Reply)
    case sync(Reply)
    case closeFile(Reply)
    case flush(@Sendable (Result<EventRecorder.Delivery, EventRecorderError>) -> Void)
    case deleteAll(Reply)
    case close(Reply)
    case status(@Sendable (EventRecorder.Status) -> Void)
  }

  /// The messages that a consumer takes at once, in the order of the calls.
  struct Batch {
    let messages: [Message]
    /// The number of events dropped since the last batch because the queue was full.
    let droppedCount: Int
  }

  private let lock = NSLock()
  /// The number of waiting messages from which on events are dropped.
  private let eventsMax: Int
  private var messages: [Message] = []
  /// The number of events dropped since the last batch because the queue was full.
  private var droppedCount = 0
  /// Whether a consumer was started and has not found the queue empty since.
  private var hasConsumer = false

  /// Creates an empty queue.
  init(eventsMax: Int) {
    precondition(eventsMax > 0, "a queue has room for an event")
    self.eventsMax = eventsMax
  }

  /// Appends a message. Drops it instead if it is an event for which no caller waits and the queue is full.
  ///
  /// - Parameter start: Starts a consumer, which calls ``drain(_:)`` once. It is called if there is no consumer.
  func push(_ message: Message, startingConsumer start: () -> Void) {
    if append(message) { start() }
  }

  /// Passes all messages to a closure in batches until the queue is empty. Only the consumer that
  /// ``push(_:startingConsumer:)`` started calls this.
  func drain(_ body: (Batch) -> Void) {
    while let batch = takeBatch() { body(batch) }
  }

  /// Appends a message, or drops it. Returns whether a consumer must be started.
  private func append(_ message: Message) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if case .write(.event(let event)) = message, event.reply == nil, messages.count >= eventsMax {
      droppedCount += 1
      return false
    }
    messages.append(message)
    defer { hasConsumer = true }
    return !hasConsumer
  }

  /// Removes and returns all messages. Returns `nil` if there are none, so that the next message starts a consumer.
  private func takeBatch() -> Batch? {
    lock.lock()
    defer { lock.unlock() }
    precondition(hasConsumer, "one consumer at a time drains the queue")
    guard !messages.isEmpty else {
      hasConsumer = false
      return nil
    }
    defer {
      messages = []
      droppedCount = 0
    }
    return Batch(messages: messages, droppedCount: droppedCount)
  }
}
