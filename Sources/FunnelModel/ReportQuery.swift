/// The question a report answers: everything that changes its numbers besides the events and the flow definitions.
public struct ReportQuery: Hashable, Sendable {
  /// Groups count whose anchor is at or after this moment; nil: from the beginning.
  public var since: Timestamp?
  /// Groups count whose anchor is before this moment; nil: to the end.
  public var until: Timestamp?
  /// Events after this moment are ignored.
  public var now: Timestamp
  /// Replaces the flow's own conversion window.
  public var window: TimeSpan?
  /// How strictly steps must follow one another.
  public var order: StepOrder
  /// Replaces what the flow counts once.
  public var countBy: FlowDefinition.CountBy?
  /// The segments groups are split into.
  public var by: [Dimension]
  /// Conditions groups must meet, all of them.
  public var conditions: [SegmentCondition]
  /// Where days, weeks and months begin.
  public var timeZone: TimeZoneRules

  /// A question about everything up to `now`.
  public init(now: Timestamp) {
    self.now = now
    order = .ordered
    by = []
    conditions = []
    timeZone = .utc
  }

  /// The conversion window in milliseconds that holds for a flow.
  public func windowMilliseconds(for flow: FlowDefinition) -> Int64 {
    (window ?? flow.window).milliseconds
  }
}

/// How strictly the steps of a funnel must follow one another (contract section 3).
public enum StepOrder: String, Hashable, Sendable, CaseIterable {
  /// In this order, other events between them allowed.
  case ordered
  /// In this order, and no other required step between them.
  case strict
  /// In any order.
  case any
}

/// What groups can be segmented by.
public enum Dimension: Hashable, Sendable, CustomStringConvertible {
  case property(String)
  case context(String)
  case day
  case week
  case month

  /// Reads `ctx.variant`, `props.trigger`, `day`, `week` or `month`.
  public init?(_ text: some StringProtocol) {
    switch text {
    case "day": self = .day
    case "week": self = .week
    case "month": self = .month
    default:
      switch EventField(text) {
      case .property(let key): self = .property(key)
      case .context(let key): self = .context(key)
      case .step, nil: return nil
      }
    }
  }

  public var description: String {
    switch self {
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    }
  }
}

/// A condition on the segment a group's anchor falls into: `ctx.app_version=3.2.1` or `ctx.app_version!=3.2.1`.
///
/// Values are compared as a person writes them: `3` matches the number and the string, `null` also what is absent.
public struct SegmentCondition: Hashable, Sendable, CustomStringConvertible {
  public var dimension: Dimension
  public var isEqual: Bool
  public var value: String

  /// Reads `dimension=value` or `dimension!=value`.
  public init?(_ text: some StringProtocol) {
    // By bytes: a combining mark behind the equals sign would make one character of both.
    let bytes = Array(text.utf8)
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return nil }
    isEqual = bytes[equals - 1] != UInt8(ascii: "!")
    let name = String(decoding: bytes[..<(isEqual ? equals : equals - 1)], as: UTF8.self)
    guard let dimension = Dimension(name) else { return nil }
    self.dimension = dimension
    value = String(decoding: bytes[(equals + 1)...], as: UTF8.self)
  }

  /// Whether an anchor with this value meets the condition.
  public func holds(for candidate: PropertyValue) -> Bool {
    candidate.description.utf8.elementsEqual(value.utf8) == isEqual
  }

  public var description: String { "\(dimension)\(isEqual ? "=" : "!=")\(value)" }
}
