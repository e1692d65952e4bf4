public import Foundation

/// Records an app's events in files that survive a kill of the process, and delivers them.
///
///     let recorder = try EventRecorder(.init(app: "cleaner", deliveringTo: collector, key: "wk_…"))
///     recorder.record(FunnelEvent("perm_flow_start", props: ["trigger": "first_launch"]))
///
/// - Every method that is not `async` only appends to a queue in memory, so it may be called on the main thread. A serial queue
///   validates each event and appends it to the open file with one system call. The events of one caller keep their order.
/// - An event survives a kill of the process once it is written, and a loss of power after ``sync()``. On a full disk, events wait in
///   memory until there is room (``Status/waiting``).
/// - A file is closed, compressed and uploaded half a minute after its first event, at 50 events, when the app goes to the background, and
///   by ``flush()``. Files are uploaded one after another, oldest first. If an upload fails, it is repeated after growing delays,
///   and files that failed less often come first.
/// - The size of the folder is limited: the oldest closed files are deleted, and their events are counted (``Status/dropped``).
/// - If the device's clock is set between recording and sending, the events are moved to the time of the new setting.
///
/// ``Configuration/onProblem`` is called about each event that is rejected or dropped, and about each failure.
public final class EventRecorder: EventRecording {
  /// The configuration that the recorder was created with.
  public let configuration: Configuration
  private let engine: RecorderEngine
  private let backgroundDelivery: BackgroundDelivery?

  /// Creates a recorder. With an uploader, it begins to deliver what earlier launches left. Without one, it opens the folder when the first
  /// event is recorded.
  ///
  /// - Throws: ``EventRecorderError`` if the app, the subject or the context is invalid, if the limits contradict each other, or if an
  ///   ``HTTPUploader`` would send without encryption.
  public init(_ configuration: Configuration) throws(EventRecorderError) {
    self.configuration = configuration
    engine = try RecorderEngine(configuration)
    backgroundDelivery = configuration.uploader == nil ? nil : BackgroundDelivery(engine)
    // A folder that can't be opened yet has reported that.
    if configuration.uploader != nil { engine.run { _ = try? $0.opened() } }
  }

  deinit { engine.abandon() }

  public func record(_ event: FunnelEvent, at time: Date? = nil) { engine.post(.write(.event(queued(event, at: time)))) }

  public func append(_ event: FunnelEvent, at time: Date? = nil) async throws(EventRecorderError) {
    var queued = queued(event, at: time)
    try await reply { reply in
      queued.reply = reply
      return .write(.event(queued))
    }
  }

  /// Replaces the context of all later events. The values that the recorder fills in stay.
  ///
  /// - Throws: ``EventRecorderError`` if the context is rejected. The earlier context then stays.
  public func setContext(_ context: [String: EventValue]) async throws(EventRecorderError) {
    try await reply { .setContext(context, $0) }
  }

  public func continueAttempt(_ id: String, of flow: String) { change(.attempt(id, flow: flow)) }

  public func endAttempt(of flow: String) { change(.attempt(nil, flow: flow)) }

  public func setSubject(_ subject: String) { change(.subject(subject)) }

  public func identify(user: String) { change(.user(user)) }

  public func signOut() { change(.user(nil)) }

  public func reset() { change(.reset(subject: Identity.randomSubject())) }

  public func optOut() { change(.optedOut(true)) }

  public func optIn() { change(.optedOut(false)) }

  /// Delivers all earlier events, and waits until each file was tried once. It does not wait for the end of a delay after a failure, unless
  /// the server asked for that delay: then it sends nothing.
  ///
  /// On a full disk it delivers what is in files, uncompressed if need be. Each delivered file makes room for the events that wait in memory.
  ///
  /// - Returns: The numbers of events that were delivered and that were not. Without an uploader, all are kept.
  /// - Throws: ``EventRecorderError`` if the folder can't be opened.
  @discardableResult
  public func flush() async throws(EventRecorderError) -> Delivery {
    let result = await withCheckedContinuation { continuation in
      engine.post(.flush { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Waits until all earlier events are on the disk, and so are the subject, the user, the attempts and the choice to opt out or in.
  ///
  /// - Throws: ``EventRecorderError`` if one of them can't be written. It then waits in memory, and is in force.
  public func sync() async throws(EventRecorderError) { try await reply { .sync($0) } }

  /// Closes the open file and starts to upload, without waiting for the end of the upload. Like ``flush()``, it ends a delay after a failure.
  ///
  /// - Throws: ``EventRecorderError`` if the file can't be closed. Earlier files are uploaded all the same.
  public func closeFile() async throws(EventRecorderError) { try await reply { .closeFile($0) } }

  /// Deletes all events that were not delivered, the user and the attempts, and begins again with a new subject, as after a reinstall.
  ///
  /// The server's events are erased there, by `funnel forget`. An upload in progress is cancelled, but what it has sent already may still
  /// arrive: at most the events of one file.
  ///
  /// - Throws: ``EventRecorderError`` if the folder can't be opened or written.
  public func deleteAll() async throws(EventRecorderError) { try await reply { .deleteAll($0) } }

  /// Writes all earlier events, cancels an upload in progress and releases the folder. Later events are rejected.
  ///
  /// Call it before a command-line program ends: events that are only in memory end with the process.
  ///
  /// - Throws: ``EventRecorderError`` if there are events, or an opt-out or a logout, that can't be written. The recorder then stays open and
  ///   keeps them: call the method again.
  public func close() async throws(EventRecorderError) { try await reply { .close($0) } }

  /// The state of the recorder after all earlier calls.
  public var status: Status {
    get async {
      await withCheckedContinuation { continuation in engine.post(.status { continuation.resume(returning: $0) }) }
    }
  }

  private func queued(_ event: FunnelEvent, at time: Date?) -> EventQueue.Event {
    let now = configuration.moment()
    return EventQueue.Event(event: event, time: time.map { Timestamp($0) } ?? now.time, now: now)
  }

  private func change(_ change: EventQueue.Change) {
    engine.post(.write(.change(change, now: configuration.moment())))
  }

  private func reply(
    _ message: (@escaping EventQueue.Reply) -> EventQueue.Message
  ) async throws(EventRecorderError) {
    let result = await withCheckedContinuation { continuation in engine.post(message { continuation.resume(returning: $0) }) }
    try result.get()
  }
}
