public import Foundation

/// A recorder in memory, for the tests of an app. It accepts and rejects the same events as an ``EventRecorder``, and stores nothing on the disk.
///
///     let recorder = try RecordedEvents(app: "cleaner")
///     OnboardingModel(recorder).start()
///     #expect(recorder.names == ["perm_flow_start"])
///
/// Each call has taken effect when it returns.
// The lock protects the state.
public final class RecordedEvents: EventRecording, @unchecked Sendable {
  /// A recorded event, with what a recorder adds to it.
  public struct Recorded: Sendable, Hashable {
    /// The event, with its attempt.
    public var event: FunnelEvent
    /// The time of the event.
    public var time: Date
    /// The subject.
    public var subject: String
    /// The user, or `nil` if none was signed in.
    public var user: String?
    /// The line that an ``EventRecorder`` would write, without its line feed.
    public var line: String
  }

  private let lock = NSLock()
  private let clock: @Sendable () -> Date
  private let startsOptedOut: Bool
  private var encoder: EventEncoder
  private var state = RecorderState()
  /// The user that the app has named while recording is stopped, or `nil` for none.
  private var userAtOptIn: String?
  private var recorded: [Recorded] = []
  private var rejections: [EventRecorderError] = []

  /// Creates a recorder without events.
  ///
  /// - Parameter startsOptedOut: Whether it records nothing before ``optIn()``.
  /// - Throws: ``EventRecorderError`` if the app, the subject or the context is invalid.
  public init(
    app: String, subject: String = "test-subject", context: [String: EventValue] = [:], startsOptedOut: Bool = false,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(EventRecorderError) {
    var encoder = try EventEncoder(app: app, lineBytesMax: Limits.lineBytesMax)
    try encoder.requirePerson(subject, "subject")
    try encoder.setContext(context)
    self.encoder = encoder
    self.clock = clock
    self.startsOptedOut = startsOptedOut
    state.subject = subject
  }

  /// The recorded events, in order.
  public var events: [Recorded] { locked { recorded } }

  /// The names of the recorded events, in order.
  public var names: [String] { events.map(\.event.name) }

  /// The problems that an ``EventRecorder`` would have reported, in order.
  public var problems: [EventRecorderError] { locked { rejections } }

  /// Whether recording is stopped.
  public var isOptedOut: Bool { locked { isStopped } }

  private var isStopped: Bool { state.isOptedOut(byDefault: startsOptedOut) }

  public func record(_ event: FunnelEvent, at time: Date?) {
    locked {
      do throws(EventRecorderError) {
        try add(event, at: time)
      } catch {
        if error.code != .optedOut { rejections.append(error) }
      }
    }
  }

  public func append(_ event: FunnelEvent, at time: Date?) async throws(EventRecorderError) {
    let result: Result<Void, EventRecorderError> = locked {
      do throws(EventRecorderError) {
        return .success(try add(event, at: time))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  public func continueAttempt(_ id: String, of flow: String) { changeUnlessOptedOut { $0.state.attempts[flow] = id } }

  public func endAttempt(of flow: String) { changeUnlessOptedOut { $0.state.attempts[flow] = nil } }

  public func setSubject(_ subject: String) {
    changeUnlessOptedOut { recorder in
      let isValid = recorder.isAccepted { () throws(EventRecorderError) in
        try recorder.encoder.requirePerson(subject, "subject")
      }
      if isValid { recorder.state.subject = subject }
    }
  }

  public func identify(user: String) {
    locked {
      let user = isAccepted { () throws(EventRecorderError) in try encoder.requireUser(user) } ? user : nil
      if isStopped { userAtOptIn = user } else { signIn(user) }
    }
  }

  /// Signs a user in, or out for a user that was rejected: a wrong user can't be found again in the events.
  private func signIn(_ user: String?) {
    guard state.user != user else { return }
    state.user = user
    if user != nil { try? add(FunnelEvent("user_linked"), at: nil) }
  }

  public func signOut() {
    locked {
      userAtOptIn = nil
      state.user = nil
    }
  }

  public func reset() {
    locked {
      userAtOptIn = nil
      if !isStopped { state.reset(subject: Identity.randomSubject()) }
    }
  }

  /// Stops recording and deletes the recorded events.
  public func optOut() {
    locked {
      userAtOptIn = nil
      guard state.choice != .optedOut else { return }
      state.optOut()
      recorded = []
    }
  }

  public func optIn() {
    locked {
      guard state.choice != .optedIn else { return }
      state.optIn(wasOptedOut: isStopped, firstSubject: nil)
      if let user = userAtOptIn { signIn(user) }
      userAtOptIn = nil
    }
  }

  private func add(_ event: FunnelEvent, at time: Date?) throws(EventRecorderError) {
    guard !isStopped else {
      throw EventRecorderError.recordingIsStopped
    }
    guard let identity = state.identity else { preconditionFailure("the subject is set at first") }
    var event = event
    event.attempt = event.attempt ?? event.flow.flatMap { state.attempts[$0] }
    let now = clock()
    let line = try encoder.line(
      of: event, at: Timestamp(time ?? now), identity: identity, attempt: event.attempt, sequence: state.nextSequence,
      id: "\(state.folderID)-\(state.nextSequence)", now: Timestamp(now))
    state.nextSequence += 1
    recorded.append(
      Recorded(
        event: event, time: time ?? now, subject: identity.subject, user: identity.user,
        line: String(decoding: line.dropLast(), as: UTF8.self)))
  }

  /// Returns whether a check passes, and notes the problem otherwise.
  private func isAccepted(_ check: () throws(EventRecorderError) -> Void) -> Bool {
    do throws(EventRecorderError) {
      try check()
      return true
    } catch {
      rejections.append(error)
      return false
    }
  }

  private func changeUnlessOptedOut(_ body: (RecordedEvents) -> Void) {
    locked { if !isStopped { body(self) } }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
