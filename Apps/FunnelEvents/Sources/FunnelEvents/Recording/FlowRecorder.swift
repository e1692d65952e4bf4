public import Foundation

/// A recorder for the events of one flow.
///
///     let onboarding = recorder.flow(CleanerPermissionsFlow.self)
///     onboarding.record(.permFlowStart(trigger: .firstLaunch))
public struct FlowRecorder<Event: FlowEvent>: Sendable {
  /// The recorder that stores the events.
  public let recorder: any EventRecording

  /// Creates a recorder for the events of one flow.
  public init(recorder: any EventRecording) { self.recorder = recorder }

  /// Records an event without waiting (``EventRecording/record(_:at:)``).
  ///
  /// - Parameters:
  ///   - time: The time of the event, or `nil` for now.
  ///   - props: Properties that the definition does not list.
  public func record(_ event: Event, at time: Date? = nil, props: [String: EventValue] = [:]) {
    recorder.record(FunnelEvent(event, props: props), at: time)
  }

  /// Records an event and waits until it is stored (``EventRecording/append(_:at:)``).
  ///
  /// - Parameters:
  ///   - time: The time of the event, or `nil` for now.
  ///   - props: Properties that the definition does not list.
  /// - Throws: ``EventRecorderError`` if the event is rejected or can't be stored.
  public func append(
    _ event: Event, at time: Date? = nil, props: [String: EventValue] = [:]
  ) async throws(EventRecorderError) {
    try await recorder.append(FunnelEvent(event, props: props), at: time)
  }

  /// Begins an attempt. Later events of the flow belong to it, even after a restart of the app.
  ///
  /// - Returns: The random ID of the attempt.
  @discardableResult
  public func beginAttempt() -> String { recorder.beginAttempt(of: Event.flow) }

  /// Continues an attempt that was begun elsewhere, such as on another device.
  public func continueAttempt(_ id: String) { recorder.continueAttempt(id, of: Event.flow) }

  /// Ends the attempt. Later events of the flow belong to none.
  public func endAttempt() { recorder.endAttempt(of: Event.flow) }
}
