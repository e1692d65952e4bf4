/// The events of one version of a flow, as `funnel schema generate swift` prints them.
public protocol FlowEvent: Sendable {
  /// The app that the flow belongs to.
  static var app: String { get }
  /// The flow's id.
  static var flow: String { get }
  /// The version of its definition.
  static var version: Int { get }
  /// Keys that the flow forbids beyond the list of personal data.
  static var forbiddenKeys: [String] { get }

  /// The event's name.
  var name: String { get }
  /// The id of the step that the event is about, or nil.
  var step: String? { get }
  /// The properties that were given.
  var props: [String: EventValue] { get }
}

extension FlowEvent {
  public static var forbiddenKeys: [String] { [] }
}

extension FunnelEvent {
  /// Creates an event from a typed one.
  ///
  /// - Parameter props: Properties that the definition does not list. One that the typed event has keeps its value.
  public init<Event: FlowEvent>(_ event: Event, props: [String: EventValue] = [:]) {
    self.init(
      event.name, flow: Event.flow, flowVersion: Event.version, step: event.step,
      props: props.merging(event.props) { _, typed in typed })
    app = Event.app
    forbiddenKeys = Event.forbiddenKeys
  }
}

/// A recorder for the events of one flow.
///
///     let onboarding = recorder.flow(CleanerPermissionsFlow.self)
///     onboarding.record(.permFlowStart(trigger: .firstLaunch))
public struct FlowRecorder<Event: FlowEvent>: Sendable {
  /// The recorder that writes the events.
  public let recorder: EventRecorder

  /// Records an event without waiting (``EventRecorder/record(_:at:)``).
  ///
  /// - Parameter props: Properties that the definition does not list.
  public func record(_ event: Event, props: [String: EventValue] = [:]) { recorder.record(FunnelEvent(event, props: props)) }

  /// Begins a run through the flow; all further events of the flow belong to it, also after a restart.
  ///
  /// - Returns: The id of the run.
  @discardableResult
  public func beginAttempt() -> String { recorder.beginAttempt(of: Event.flow) }

  /// Goes on with a run that was begun elsewhere.
  public func continueAttempt(_ id: String) { recorder.continueAttempt(id, of: Event.flow) }

  /// Ends the run: further events of the flow belong to none.
  public func endAttempt() { recorder.endAttempt(of: Event.flow) }
}

extension EventRecorder {
  /// Returns a recorder for the events of one flow.
  public nonisolated func flow<Event: FlowEvent>(_ events: Event.Type) -> FlowRecorder<Event> { FlowRecorder(recorder: self) }
}
