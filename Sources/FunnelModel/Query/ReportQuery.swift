/// The parameters of a report: everything that affects its numbers except the events and the flow definitions.
///
/// A report counts groups: persons, attempts or entries. A group's anchor is the event that starts its chain of steps.
public struct ReportQuery: Hashable, Sendable {
  /// The earliest anchor of a counted group, inclusive, or `nil` for no lower bound.
  public var since: Timestamp?
  /// The end of the period of anchors, exclusive, or `nil` for no upper bound.
  public var until: Timestamp?
  /// The time of the report. Later events are ignored.
  public var now: Timestamp
  /// The past state of the log to report on, or `nil` for the current state.
  public var asOf: LogMoment?
  /// The conversion window, or `nil` to use the flow's own.
  public var window: TimeSpan?
  /// The order in which steps must be matched.
  public var order: StepOrder
  /// The rule that selects a group's anchor if several events could start its chain.
  public var anchor = AnchorRule.first
  /// The unit that is counted, or `nil` to use the flow's own.
  public var countBy: FlowDefinition.CountBy?
  /// The dimensions by which groups are split into segments.
  public var by: [Dimension]
  /// The conditions that a group must meet, all of them.
  public var conditions: [SegmentCondition]
  /// Whether only groups with a closed conversion window are counted.
  public var isMature: Bool
  /// The time zone in which days, weeks and months begin.
  public var timeZone: TimeZoneRules
  /// The event that provides the value of a key that the anchor lacks.
  public var attribution = Attribution.anchor
  /// Whether groups with several values of a key of ``by`` are excluded. The values of all events within the
  /// window are compared, from the anchor on (for permission grants, from the first pre-prompt on).
  public var dropsMixed = false
  /// Whether the internal subjects of the store are counted (``InternalSubjects``).
  public var countsInternal = false

  /// The calendar unit of a trend, or `nil` to choose it by the length of the period.
  public var every: CalendarUnit?
  /// The events that exclude groups, in addition to the exclusions of the flow definitions.
  public var exclusions: [String] = []
  /// The steps of an ad-hoc flow, or an empty array to report on defined flows.
  public var steps: [EventKey] = []
  /// The event after which the report of following events starts, or `nil` if that report is not selected.
  public var after: EventKey?
  /// The maximum number of events in a path that the report of following events counts.
  public var depth = 3
  /// The parts of events that the selected reports read in addition to event classes and the query's own dimensions.
  public var needs = EventNeeds()

  /// Creates a query about all events up to `now`.
  public init(now: Timestamp) {
    self.now = now
    order = .ordered
    by = []
    conditions = []
    isMature = false
    timeZone = .utc
  }

  /// Returns the conversion window that applies to a flow, in milliseconds.
  public func windowMilliseconds(for flow: FlowDefinition) -> Int64 {
    (window ?? flow.window).milliseconds
  }
}

/// The parts of events that reports read in addition to event classes. Parts that are not needed are not loaded from the log.
public struct EventNeeds: Hashable, Sendable {
  /// The stored dimensions whose values are counted.
  public var dimensions: [Dimension] = []
  /// Whether event classes are distinguished by their ``EventDetail``.
  public var details = false
  /// Whether the texts of subjects are needed, not only their hashes.
  public var subjects = false
  /// Whether the texts of attempts are needed, not only their hashes.
  public var attempts = false

  /// The flow versions (``FlowDefinition/reference``) for whose events a dimension is needed. A dimension
  /// without an entry is needed for all of them.
  private var flowsOfDimension: [Dimension: Set<String>] = [:]

  /// Creates the needs of a report that reads event classes only.
  public init() {}

  /// Returns whether a dimension is needed for the events of at least one of some flow versions.
  public func needs(_ dimension: Dimension, forAnyOf flows: Set<String>) -> Bool {
    guard let needing = flowsOfDimension[dimension] else { return true }
    return !needing.isDisjoint(with: flows)
  }

  /// Adds the needs of another report for the events of a flow version.
  public mutating func formUnion(_ other: EventNeeds, of flow: FlowDefinition) {
    for dimension in other.dimensions {
      if !dimensions.contains(dimension) { dimensions.append(dimension) }
      flowsOfDimension[dimension, default: []].insert(flow.reference)
    }
    details = details || other.details
    subjects = subjects || other.subjects
    attempts = attempts || other.attempts
  }
}

extension ReportQuery {
  /// The stored dimensions whose values are read, without duplicates: those of ``by``, ``conditions`` and ``needs``.
  public var storedDimensions: [Dimension] {
    var stored: [Dimension] = []
    for dimension in (by + conditions.map(\.dimension) + needs.dimensions).compactMap(\.stored)
    where !stored.contains(dimension) {
      stored.append(dimension)
    }
    return stored
  }

  /// Whether segments or conditions depend on property or context values of events.
  public var readsEventValues: Bool { (by + conditions.map(\.dimension)).contains { $0.stored != nil } }

  /// Whether segments or conditions depend on the events of a step, including its completion.
  public var readsSteps: Bool {
    (by + conditions.map(\.dimension)).contains { if case .step = $0 { true } else { false } }
  }

  /// All parts of events that the query reads in addition to event classes: ``needs``, and those of ``by`` and ``conditions``.
  public var allNeeds: EventNeeds {
    var all = needs
    // Only the detail of an event shows that it completes a step.
    all.details = all.details || readsSteps
    all.subjects = all.subjects || conditions.contains { $0.dimension == .subject }
    return all
  }
}

/// The event that provides the value of a key that a group's anchor lacks (specification section 3).
public enum Attribution: String, Hashable, Sendable, CaseIterable {
  /// No other event. The value is that of the anchor, or absent.
  case anchor
  /// The first event of the group after the anchor and within the window that has the key.
  case known
}

/// The rule that selects a group's anchor among the events that can start its chain (specification section 3).
public enum AnchorRule: String, Hashable, Sendable, CaseIterable {
  /// The first event, regardless of the period. Each group has one day and one segment, so the counts of
  /// disjoint periods add up.
  case first
  /// The event in the period whose chain matches the most steps, or the earliest of several. The choice depends
  /// on the result, so the report can't be split by time.
  case best
}

/// The order in which the steps of a funnel must be matched (specification section 3).
public enum StepOrder: String, Hashable, Sendable, CaseIterable {
  /// The order of the flow. Other events may occur between the steps.
  case ordered
  /// The order of the flow, without another required step in between.
  case strict
  /// Any order.
  case any
}

/// A key by which groups can be split into segments or filtered.
public enum Dimension: Hashable, Sendable, CustomStringConvertible {
  /// The value of a key in `props`.
  case property(String)
  /// The value of a key in `ctx`.
  case context(String)
  /// All properties together, as a JSON object (``PropertiesText``). Reports use it internally; queries have no syntax for it.
  case properties
  /// The day, such as `2026-11-20`.
  case day
  /// The ISO 8601 week, such as `2026-W47`.
  case week
  /// The month, such as `2026-11`.
  case month
  /// The hour of the day, `00` to `23`.
  case hour
  /// The day of the week, `Mon` to `Sun`.
  case weekday
  /// The version of the flow.
  case version
  /// The subject of the group. Valid in conditions only.
  case subject
  /// A property or context value (``EventField/property(_:)``, ``EventField/context(_:)``) of the event that matched a step.
  case step(id: String, EventField)

  /// Parses `ctx.variant`, `props.trigger`, `day`, `week`, `month`, `hour`, `weekday`, `version`, `subject`,
  /// `step.ID.props.KEY` or `step.ID.ctx.KEY`.
  public init?(_ text: some StringProtocol) {
    switch text {
    case "day": self = .day
    case "week": self = .week
    case "month": self = .month
    case "hour": self = .hour
    case "weekday": self = .weekday
    case "version": self = .version
    case "subject": self = .subject
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

  /// Creates the dimension of a field, or returns `nil` for ``EventField/step``, which is not a dimension.
  private init?(_ field: EventField) {
    switch field {
    case .property(let key): self = .property(key)
    case .context(let key): self = .context(key)
    case .step: return nil
    }
  }

  /// The dimension under which the log stores the values, or `nil` if they are computed. For a step's value, it
  /// is the same key without the step.
  public var stored: Dimension? {
    switch self {
    case .property, .context, .properties: self
    case .step(_, let field): Dimension(field)
    case .day, .week, .month, .hour, .weekday, .version, .subject: nil
    }
  }

  /// The dimension as ``init(_:)`` parses it.
  public var description: String {
    switch self {
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    case .properties: "props"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .hour: "hour"
    case .weekday: "weekday"
    case .version: "version"
    case .subject: "subject"
    case .step(let id, let field): "step.\(id).\(field.description)"
    }
  }
}
