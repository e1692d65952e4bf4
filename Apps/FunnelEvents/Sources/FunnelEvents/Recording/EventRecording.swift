public import Foundation

/// A recorder of events: ``EventRecorder`` in an app, ``RecordedEvents`` in its tests.
///
/// All methods but ``append(_:at:)`` return at once, and take effect in the order of the calls.
public protocol EventRecording: Sendable {
  /// Records an event without waiting.
  ///
  /// - Parameter time: The time of the event by the device's clock, or `nil` for now. A time of a server is another one if the clock is wrong.
  func record(_ event: FunnelEvent, at time: Date?)

  /// Records an event and waits until it is stored. If the method throws, the event is not kept, and may be recorded again.
  ///
  /// - Parameter time: The time of the event by the device's clock, or `nil` for now. A time of a server is another one if the clock is wrong.
  /// - Throws: ``EventRecorderError`` if the event is rejected or can't be stored.
  func append(_ event: FunnelEvent, at time: Date?) async throws(EventRecorderError)

  /// Continues an attempt of a flow. Later events of the flow belong to it, even after a restart of the app.
  func continueAttempt(_ id: String, of flow: String)

  /// Ends the attempt of a flow. Later events of the flow belong to none.
  func endAttempt(of flow: String)

  /// Replaces the subject of all later events, even after a restart of the app.
  func setSubject(_ subject: String)

  /// Signs a user in: later events carry the user, even after a restart of the app, and one event `user_linked` is recorded.
  ///
  /// That event tells reports that the earlier events of this device, and those of the user's other devices, are of the same person.
  ///
  /// While recording is stopped, the user is kept in memory alone, and signed in by ``optIn()``. If the ID is rejected, nobody is signed in.
  ///
  /// - Parameter user: The pseudonymous ID of the account, never an e-mail address, a phone number or a name.
  func identify(user: String)

  /// Signs the user out. Later events carry no user, and keep the subject.
  func signOut()

  /// Prepares the recorder for another person: a new random subject, no user, no attempts. Call it when a user of a shared device signs out.
  func reset()

  /// Stops recording, even after a restart of the app, and deletes all events that were not delivered, the subject, the user and the attempts.
  ///
  /// An upload that has begun may still deliver its events.
  func optOut()

  /// Begins to record, even after a restart of the app: after ``optOut()``, or after a start that waits for consent
  /// (``EventRecorder/Configuration/startsOptedOut``).
  ///
  /// After ``optOut()``, it begins with a new random subject, so that nothing connects the events with those before.
  func optIn()
}

extension EventRecording {
  /// Records an event of now without waiting.
  public func record(_ event: FunnelEvent) { record(event, at: nil) }

  /// Records an event of now and waits until it is stored.
  ///
  /// - Throws: ``EventRecorderError`` if the event is rejected or can't be stored.
  public func append(_ event: FunnelEvent) async throws(EventRecorderError) { try await append(event, at: nil) }

  /// Begins an attempt of a flow. Later events of the flow belong to it, even after a restart of the app.
  ///
  /// - Returns: The random ID of the attempt.
  @discardableResult
  public func beginAttempt(of flow: String) -> String {
    let id = UUID().uuidString.lowercased()
    continueAttempt(id, of: flow)
    return id
  }

  /// Returns a recorder for the events of one flow.
  public func flow<Event: FlowEvent>(_ events: Event.Type) -> FlowRecorder<Event> { FlowRecorder(recorder: self) }
}
