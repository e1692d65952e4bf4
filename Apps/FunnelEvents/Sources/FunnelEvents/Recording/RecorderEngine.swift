import Foundation

/// The part of a recorder that writes, on a serial queue of its own.
///
/// Writing and flushing a file block a thread, which must not be one of those that Swift's tasks share.
// All variable properties are used on the queue alone.
final class RecorderEngine: @unchecked Sendable {
  let configuration: EventRecorder.Configuration
  let messages: EventQueue
  private let queue = DispatchQueue(label: "FunnelEvents", qos: .utility)
  var encoder: EventEncoder
  /// The folder, or `nil` before the first event, while the folder can't be opened, and after it was closed.
  var folder: RecorderFolder?
  /// The messages that wait for a folder that can't be opened yet, such as before a device is first unlocked, in order.
  var held: [EventQueue.Write] = []
  /// The user that the app has named while recording is stopped, or `nil` for none. It is nowhere on the disk.
  var userAtOptIn: String?
  var isClosed = false
  var counts = EventRecorder.Counts()
  /// The tasks that close the open file: when it is due to be delivered, and when it reaches its maximum age.
  var timers: [Task<Void, Never>] = []
  /// The last failure to write an event, or `nil` if no event waits for room. While there is one, events wait in their order.
  var writeFailure: EventRecorderError?
  /// The reasons of the failures to write or to close a file that were reported since that last succeeded.
  var storageReasons: Set<String> = []
  /// The task that tries to write again after a failure, or `nil` if none waits.
  var retryTimer: Task<Void, Never>?
  var uploads = UploadState()

  /// Creates an engine.
  ///
  /// - Throws: ``EventRecorderError`` if the configuration is invalid.
  init(_ configuration: EventRecorder.Configuration) throws(EventRecorderError) {
    try configuration.requireSoundLimits()
    if let uploader = configuration.uploader as? HTTPUploader { try uploader.requireSecureAddress() }
    var encoder = try EventEncoder(
      app: configuration.app, lineBytesMax: min(configuration.fileBytesMax, Limits.lineBytesMax))
    if let subject = configuration.subject { try encoder.requirePerson(subject, "subject") }
    try encoder.setContext(configuration.context)
    self.configuration = configuration
    self.encoder = encoder
    messages = EventQueue(eventsMax: configuration.queuedEventsMax)
    // Reading the device's properties takes a while, so it happens on the queue.
    run { engine in try? engine.encoder.setContext(engine.wholeContext(configuration.context)) }
  }

  /// Sends a message without waiting.
  func post(_ message: EventQueue.Message) {
    messages.push(message) { run { $0.drain() } }
  }

  /// Runs a closure on the queue, after all earlier ones.
  func run(_ body: @escaping @Sendable (RecorderEngine) -> Void) {
    queue.async { body(self) }
  }

  /// Asserts that the caller runs on the queue.
  func requireOwnQueue() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Ends all tasks, when the app has released the recorder. What was recorded is written before.
  func abandon() {
    run { engine in
      engine.writeWaiting()
      try? engine.folder?.storeChange()
      engine.cancelTasks()
      engine.folder = nil
      engine.isClosed = true
    }
  }

  func cancelTasks() {
    for timer in timers { timer.cancel() }
    timers = []
    retryTimer?.cancel()
    retryTimer = nil
    cancelUploads()
  }

  /// Returns a context with what the recorder fills in. The app's values come first.
  func wholeContext(_ context: [String: EventValue]) -> [String: EventValue] {
    guard configuration.fillsContext else { return context }
    return DeviceContext.current().merging(context) { _, own in own }
  }

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
