public import Foundation
import FunnelModel

/// Records an app's events in files that survive a kill, and hands closed files to the app's own upload.
///
///     let recorder = try EventRecorder(
///       .init(app: "cleaner", subject: installID, directory: folder, context: ["app_version": "5.2.1"]) { file in
///         try await upload(file)
///       })
///     recorder.record(FunnelEvent("perm_flow_start", props: ["trigger": "first_launch"]))
///
/// - Every call that is not `async` returns at once and may be made on the main thread: it puts something into a queue in memory. The
///   actor takes it out, checks it, and appends it to the open file with one system call for each event. The events of one caller keep
///   their order.
/// - An event is safe from a kill of the process once it is written, and from a loss of power after ``flush()``.
/// - A file is closed when it reaches a size or an age, compressed, uploaded, and deleted when the upload has returned. Files are uploaded
///   one after another, oldest first, and again after growing delays while the upload throws; a file that failed comes after the others.
/// - The folder stays within its bound: the oldest closed files are dropped, and their events counted (``Status/dropped``).
///
/// What is refused, dropped, or fails is told to ``Configuration/onProblem`` in one sentence.
public actor EventRecorder {
  /// The settings the recorder was created with.
  public nonisolated let configuration: Configuration
  nonisolated let queue: EventQueue
  var encoder: EventEncoder
  /// The files; nil until the first event, while the folder can't be opened, and after ``close()``.
  var folder: RecorderFolder?
  /// What waits for a folder that can't be opened yet, such as before a device is first unlocked, in order.
  var held: [HeldMessage] = []
  var isClosed = false
  var counts = Counts()
  /// The task that closes the open file when it is old enough.
  var aging: Task<Void, Never>?
  var uploads = UploadState()

  /// Creates a recorder. The folder is opened with the first event, not here.
  ///
  /// - Throws: ``EventRecorderError`` if app, subject or context are refused, or the limits exclude one another.
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

  /// Records an event without waiting. If it is refused, ``Configuration/onProblem`` is told.
  ///
  /// - Parameter time: When it happened, or nil for now.
  public nonisolated func record(_ event: FunnelEvent, at time: Date? = nil) {
    post(.event(queued(event, at: time)))
  }

  /// Records an event, and returns when it is in the file.
  ///
  /// - Throws: ``EventRecorderError`` if the event is refused or can't be written.
  public nonisolated func append(_ event: FunnelEvent, at time: Date? = nil) async throws(EventRecorderError) {
    var queued = queued(event, at: time)
    try await reply { reply in
      queued.reply = reply
      return .event(queued)
    }
  }

  /// Replaces the context of all events that are recorded later.
  ///
  /// - Throws: ``EventRecorderError`` if it is refused; the earlier context stays.
  public nonisolated func setContext(_ context: [String: EventValue]) async throws(EventRecorderError) {
    try await reply { .context(context, $0) }
  }

  /// Begins a run through a flow. The events of the flow that are recorded later belong to it, also after a restart.
  ///
  /// - Returns: The id of the run, a random one.
  @discardableResult
  public nonisolated func beginAttempt(of flow: String) -> String {
    let id = UUID().uuidString.lowercased()
    continueAttempt(id, of: flow)
    return id
  }

  /// Goes on with a run that was begun elsewhere, such as on another device.
  public nonisolated func continueAttempt(_ id: String, of flow: String) { post(.attempt(id, flow: flow)) }

  /// Ends the run through a flow: its later events belong to none.
  public nonisolated func endAttempt(of flow: String) { post(.attempt(nil, flow: flow)) }

  /// Waits until everything recorded before is in the file, and the file on the disk.
  ///
  /// - Throws: ``EventRecorderError`` if the folder or the file can't be written.
  public nonisolated func flush() async throws(EventRecorderError) { try await reply { .flush($0) } }

  /// Closes the open file and begins to upload at once, also in the middle of a delay: for an app that goes to the background.
  ///
  /// - Throws: ``EventRecorderError`` if the file can't be closed. The upload is not waited for.
  public nonisolated func closeFile() async throws(EventRecorderError) { try await reply { .closeFile($0) } }

  /// Writes what was recorded before, and releases the folder. Nothing is recorded afterwards, and an upload in progress is cancelled.
  ///
  /// - Throws: ``EventRecorderError`` if what was recorded before can't be written; how many events are lost is told to
  ///   ``Configuration/onProblem``.
  public nonisolated func close() async throws(EventRecorderError) { try await reply { .close($0) } }

  /// The state of the recorder, with everything recorded before.
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
    // Only the call that finds the queue at rest starts the actor, so that messages are handled in their order.
    if queue.push(message) { Task(priority: .utility) { await drain() } }
  }

  private nonisolated func reply(
    _ message: (@escaping EventQueue.Reply) -> EventQueue.Message
  ) async throws(EventRecorderError) {
    let result = await withCheckedContinuation { continuation in post(message { continuation.resume(returning: $0) }) }
    try result.get()
  }
}

extension Timestamp {
  /// Creates a timestamp from a date, rounded down to the millisecond. A date beyond all calendars becomes the first or last moment.
  init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
    let writable = Timestamp.writable
    if milliseconds >= Double(writable.upperBound.milliseconds) {
      self = writable.upperBound
    } else if milliseconds >= Double(writable.lowerBound.milliseconds) {
      self.init(milliseconds: Int64(milliseconds))
    } else {
      self = writable.lowerBound
    }
  }
}
