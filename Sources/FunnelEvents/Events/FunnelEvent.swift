/// Something that happened in an app.
///
///     FunnelEvent("step_viewed", step: "welcome", props: ["source": "push"])
///
/// The types that `funnel schema generate swift` prints make events that can't be misspelt. Nothing is checked here: the recorder refuses
/// what the tool would refuse.
public struct FunnelEvent: Sendable, Hashable {
  /// What happened: `[a-z][a-z0-9_]{0,99}`.
  public var name: String
  /// The app, or nil for that of the recorder.
  public var app: String?
  /// The flow, or nil for every flow of the app that declares the event.
  public var flow: String?
  /// The version of the flow, or nil for the one that the build belongs to.
  public var flowVersion: Int?
  /// The run through the flow, or nil for the one that the recorder keeps for the flow.
  public var attempt: String?
  /// The step, which every event named `step_…` has.
  public var step: String?
  /// An id by which a repeated event is recognized, or nil: then it is its content.
  public var id: String?
  /// The properties. None is about a person.
  public var props: [String: EventValue]
  /// Keys that the flow forbids beyond the list of personal data.
  public var forbiddenKeys: [String] = []

  /// Creates an event.
  public init(
    _ name: String, flow: String? = nil, flowVersion: Int? = nil, step: String? = nil, props: [String: EventValue] = [:]
  ) {
    self.name = name
    self.flow = flow
    self.flowVersion = flowVersion
    self.step = step
    self.props = props
  }
}
