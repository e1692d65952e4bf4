/// The events of one version of a flow, as `funnel schema generate swift` prints them.
public protocol FlowEvent: Sendable {
  /// The app that the flow belongs to.
  static var app: String { get }
  /// The flow's ID.
  static var flow: String { get }
  /// The version of the flow's definition.
  static var version: Int { get }
  /// The keys that the flow forbids in addition to the list of personal data. By default, none.
  static var forbiddenKeys: [String] { get }

  /// The event's name.
  var name: String { get }
  /// The ID of the step that the event is about, or `nil` if it is about none.
  var step: String? { get }
  /// The properties of the event, without those that were omitted.
  var props: [String: EventValue] { get }
}

extension FlowEvent {
  public static var forbiddenKeys: [String] { [] }
}

extension FunnelEvent {
  /// Creates an event from a typed one.
  ///
  /// - Parameter props: Properties that the definition does not list. A property of the typed event keeps its value.
  public init<Event: FlowEvent>(_ event: Event, props: [String: EventValue] = [:]) {
    self.init(
      event.name, flow: Event.flow, flowVersion: Event.version, step: event.step,
      props: props.merging(event.props) { _, typed in typed })
    app = Event.app
    forbiddenKeys = Event.forbiddenKeys
  }
}
