/// An event of an app.
///
///     FunnelEvent("step_viewed", step: "welcome", props: ["source": "push"])
///
/// The types that `funnel schema generate swift` prints make misspelled events a compile-time error. An event is not
/// validated here: the recorder rejects what `funnel ingest` would reject.
public struct FunnelEvent: Sendable, Hashable {
  /// The event's name: `[a-z][a-z0-9_]{0,99}`.
  public var name: String
  /// The app, or `nil` for the recorder's.
  public var app: String?
  /// The flow, or `nil` for every flow of the app that declares the event.
  public var flow: String?
  /// The version of the flow, or `nil` for the one that the build belongs to.
  public var flowVersion: Int?
  /// The attempt, or `nil` for the current attempt of the flow (``EventRecorder/beginAttempt(of:)``).
  public var attempt: String?
  /// The step, which every event named `step_…` has.
  public var step: String?
  /// The ID by which an event that arrives twice is recognized, or `nil` for one that the recorder makes.
  public var id: String?
  /// The properties. They must not contain personal data.
  public var props: [String: EventValue]
  /// The keys that the flow forbids in addition to the list of personal data.
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

/// The value of a property: a JSON scalar.
///
/// A literal is a value by itself; a variable needs its case:
///
///     ["source": "push", "count": 3, "plan": .string(plan), "index": .integer(index)]
public enum EventValue: Sendable, Hashable {
  /// A text.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// A number. The recorder rejects one that is not finite.
  case double(Double)
  /// `true` or `false`.
  case bool(Bool)
  /// No value.
  case null
}

extension EventValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
}
