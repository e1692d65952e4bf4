public import Foundation
/// Records an app's events in files that survive a kill of the process, and passes closed files to the app's own upload.
///
///     let recorder = try EventRecorder(
///       .init(app: "cleaner", subject: installID, directory: folder, context: ["app_version": "5.2.1"]) { file in
///         try await upload(file)
///       })
///     recorder.record(FunnelEvent("perm_flow_start", props: ["trigger": "first_launch"]))
///
/// - Every method that is not `async` only appends to a queue in memory, so it may be called on the main thread. The actor
///   validates each event and appends it to the open file with one system call. The events of one caller keep their order.
/// - An event survives a kill of the process once it is written, and a loss of power after ``flush()``.
/// - A file is closed when it reaches a size or an age. It is then compressed, uploaded, and deleted after the upload
///   returns. Files are uploaded one after another, oldest first. If the upload throws, it is repeated after growing delays,
///   and files that failed less often come first.
/// - The size of the folder is limited: the oldest closed files are deleted, and their events are counted (``Status/dropped``).
///
/// ``Configuration/onProblem`` is called about each event that is rejected or dropped, and about each failure.
public actor EventRecorder {
  /// The configuration that the recorder was created with.
  public nonisolated let configuration: Configuration
  nonisolated let queue: EventQueue
  var encoder: EventEncoder
  /// The folder, or `nil` before the first event, while the folder can't be opened, and after ``close()``.
  var folder: RecorderFolder?
  /// The messages that wait for a folder that can't be opened yet, such as before a device is first unlocked, in order.
  var held: [EventQueue.Write] = []
  var isClosed = false
  var counts = Counts()
  /// The task that closes the open file when it reaches its maximum age.
  var aging: Task<Void, Never>?
  var uploads = UploadState()

  /// Creates a recorder. The folder is opened when the first event is recorded.
  ///
  /// - Throws: ``EventRecorderError`` if the app, the subject or the context is invalid, or if the limits contradict each
  ///   other.
  public init(_ configuration: Configuration) throws(EventRecorderError) {
    try configuration.requireSoundLimits()
    self.configuration = configuration
    queue = EventQueue(eventsMax: configuration.queuedEventsMax)
    encoder = try EventEncoder(
      app: configuration.app, subject: configuration.subject, context: configuration.context,
      lineBytesMax: min(configuration.fileBytesMax, Limits.lineBytesMax))
  }

  deinit {
    aging?.cancel()
    uploads.task?.cancel()
  }

  /// Records an event without waiting. If it is rejected, ``Configuration/onProblem`` is called.
  ///
  /// - Parameter time: The time of the event, or `nil` for now.
  public nonisolated func record(_ event: FunnelEvent, at time: Date? = nil) {
    post(.write(.event(queued(event, at: time))))
  }

  /// Records an event and waits until it is in the file.
  ///
  /// - Throws: ``EventRecorderError`` if the event is rejected or can't be written.
  public nonisolated func append(_ event: FunnelEvent, at time: Date? = nil) async throws(EventRecorderError) {
    var queued = queued(event, at: time)
    try await reply { reply in
      queued.reply = reply
      return .write(.event(queued))
    }
  }

  /// Replaces the context of all later events.
  ///
  /// - Throws: ``EventRecorderError`` if the context is rejected. The earlier context then stays.
  public nonisolated func setContext(_ context: [String: EventValue]) async throws(EventRecorderError) {
    try await reply { .context(context, $0) }
  }

  /// Begins an attempt of a flow. Later events of the flow belong to it, even after a restart of the app.
  ///
  /// - Returns: The random ID of the attempt.
  @discardableResult
  public nonisolated func beginAttempt(of flow: String) -> String {
    let id = UUID().uuidString.lowercased()
    continueAttempt(id, of: flow)
    return id
  }

  /// Continues an attempt that was begun elsewhere, such as on another device.
  public nonisolated func continueAttempt(_ id: String, of flow: String) { post(.write(.attempt(id, flow: flow))) }

  /// Ends the attempt of a flow. Later events of the flow belong to none.
  public nonisolated func endAttempt(of flow: String) { post(.write(.attempt(nil, flow: flow))) }

  /// Waits until all earlier events are in the file and the file is on the disk.
  ///
  /// - Throws: ``EventRecorderError`` if the folder or the file can't be written.
  public nonisolated func flush() async throws(EventRecorderError) { try await reply { .flush($0) } }

  /// Closes the open file and starts to upload, even during a delay. An app calls this when it enters the background.
  ///
  /// The method does not wait for the upload.
  ///
  /// - Throws: ``EventRecorderError`` if the file can't be closed.
  public nonisolated func closeFile() async throws(EventRecorderError) { try await reply { .closeFile($0) } }

  /// Writes all earlier events, cancels an upload in progress and releases the folder. Later events are rejected.
  ///
  /// - Throws: ``EventRecorderError`` if earlier events can't be written. ``Configuration/onProblem`` is called with their
  ///   number.
  public nonisolated func close() async throws(EventRecorderError) { try await reply { .close($0) } }

  /// The state of the recorder after all earlier calls.
  public nonisolated var status: Status {
    get async {
      await withCheckedContinuation { continuation in post(.status { continuation.resume(returning: $0) }) }
    }
  }

  private nonisolated func queued(_ event: FunnelEvent, at time: Date?) -> EventQueue.Event {
    let now = configuration.clock()
    return EventQueue.Event(event: event, time: Timestamp(time ?? now), now: Timestamp(now))
  }

  private nonisolated func post(_ message: EventQueue.Message) {
    queue.push(message) { Task(priority: .utility) { await drain() } }
  }

  private nonisolated func reply(
    _ message: (@escaping EventQueue.Reply) -> EventQueue.Message
  ) async throws(EventRecorderError) {
    let result = await withCheckedContinuation { continuation in post(message { continuation.resume(returning: $0) }) }
    try result.get()
  }
}
