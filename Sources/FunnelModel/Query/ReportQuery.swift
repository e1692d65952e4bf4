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
  /// Whether only groups count whose window has closed.
  public var isMature: Bool
  /// Where days, weeks and months begin.
  public var timeZone: TimeZoneRules

  /// A question about everything up to `now`.
  public init(now: Timestamp) {
    self.now = now
    order = .ordered
    by = []
    conditions = []
    isMature = false
    timeZone = .utc
  }

  /// The conversion window in milliseconds that holds for a flow.
  public func windowMilliseconds(for flow: FlowDefinition) -> Int64 {
    (window ?? flow.window).milliseconds
  }
}

/// How strictly the steps of a funnel must follow one another (specification section 3).
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
  /// The version of the flow.
  case version
  /// A property or context value (``EventField/property(_:)``, ``EventField/context(_:)``) of the event that matched a step.
  case step(id: String, EventField)

  /// Reads `ctx.variant`, `props.trigger`, `day`, `week`, `month`, `version`, `step.ID.props.KEY` or `step.ID.ctx.KEY`.
  public init?(_ text: some StringProtocol) {
    switch text {
    case "day": self = .day
    case "week": self = .week
    case "month": self = .month
    case "version": self = .version
    default:
      if let field = EventField(text) {
        guard let dimension = Dimension(field) else { return nil }
        self = dimension
        return
      }
      let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "step", ConfigurationReader.isName(String(parts[1])),
        let field = EventField(parts[2]), field != .step
      else { return nil }
      self = .step(id: String(parts[1]), field)
    }
  }

  /// The dimension of a field that has one: a step's id has none.
  private init?(_ field: EventField) {
    switch field {
    case .property(let key): self = .property(key)
    case .context(let key): self = .context(key)
    case .step: return nil
    }
  }

  /// The dimension whose values the log stores: of a step's value, that value at any event; nil where the value is computed.
  public var stored: Dimension? {
    switch self {
    case .property, .context: self
    case .step(_, let field): Dimension(field)
    case .day, .week, .month, .version: nil
    }
  }

  public var description: String {
    switch self {
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .version: "version"
    case .step(let id, let field): "step.\(id).\(field.description)"
    }
  }
}
