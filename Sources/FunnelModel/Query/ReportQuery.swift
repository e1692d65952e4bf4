/// The query that a report answers: everything that affects its numbers besides the events and the flow definitions.
public struct ReportQuery: Hashable, Sendable {
  /// The lower bound of the anchors of counted groups, inclusive; nil counts from the beginning.
  public var since: Timestamp?
  /// The upper bound of the anchors of counted groups, exclusive; nil counts to the end.
  public var until: Timestamp?
  /// The time of the report; later events are ignored.
  public var now: Timestamp
  /// The state of the log that is reported, if it is not the present one.
  public var asOf: LogMoment?
  /// The conversion window that replaces the flow's own, if any.
  public var window: TimeSpan?
  /// How strictly steps must follow one another.
  public var order: StepOrder
  /// Which of a group's starts counts.
  public var anchor = AnchorRule.first
  /// The unit that is counted instead of the flow's own, if any.
  public var countBy: FlowDefinition.CountBy?
  /// The dimensions by which groups are split into segments.
  public var by: [Dimension]
  /// The conditions that groups must meet, all of them.
  public var conditions: [SegmentCondition]
  /// Whether only groups with a closed conversion window are counted.
  public var isMature: Bool
  /// The time zone in which days, weeks and months begin.
  public var timeZone: TimeZoneRules
  /// The event that provides the value of a key that the anchor lacks.
  public var attribution = Attribution.anchor
  /// Whether groups with several values of a key of ``by`` are left out: those that have more than one in their events from the anchor on
  /// (from the first pre-prompt for grants) within the window.
  public var dropsMixed = false
  /// Whether the subjects that a store lists as internal are counted.
  public var countsInternal = false

  /// The unit of time of a trend; nil lets the length of the period decide.
  public var every: CalendarUnit?
  /// The events that exclude groups, in addition to those of the flows' definitions.
  public var exclusions: [String] = []
  /// The steps of the ad-hoc flow that the report is about; empty if it is about flows that are defined.
  public var steps: [EventKey] = []
  /// The event whose following ones are counted, by the report that does so.
  public var after: EventKey?
  /// The number of following events that are counted one after the other.
  public var depth = 3
  /// What the selected reports need of the events besides their meaning and the dimensions of the query.
  public var needs = EventNeeds()

  /// Creates a query about everything up to `now`.
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

/// What reports need of the events of a log besides their meaning to a flow.
public struct EventNeeds: Hashable, Sendable {
  /// The properties whose values are counted, as stored dimensions.
  public var dimensions: [Dimension] = []
  /// Whether events are told apart by their ``EventDetail``.
  public var details = false
  /// Whether the texts of subjects are needed, not only their hashes.
  public var subjects = false
  /// Whether the texts of attempts are needed, not only their hashes.
  public var attempts = false

  public init() {}

  /// The flow versions (``FlowDefinition/reference``) for whose events each of ``dimensions`` is needed.
  private var flowsOfDimension: [Dimension: Set<String>] = [:]

  /// Returns whether a dimension is needed for the events of some flow versions.
  public func needs(_ dimension: Dimension, forAnyOf flows: Set<String>) -> Bool {
    guard let needing = flowsOfDimension[dimension] else { return true }
    return !needing.isDisjoint(with: flows)
  }

  /// Adds what another report needs of the events of a flow version.
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
  /// The stored dimensions whose values are read, each once: those of `by` and of the conditions, and those that reports count.
  public var storedDimensions: [Dimension] {
    var stored: [Dimension] = []
    for dimension in (by + conditions.map(\.dimension) + needs.dimensions).compactMap(\.stored)
    where !stored.contains(dimension) {
      stored.append(dimension)
    }
    return stored
  }

  /// Whether segments or conditions depend on the values of events: of the anchor, of those after it, or of the matches of steps.
  public var readsEventValues: Bool { (by + conditions.map(\.dimension)).contains { $0.stored != nil } }

  /// Whether segments or conditions depend on the events of steps, which include their completions.
  public var readsSteps: Bool {
    (by + conditions.map(\.dimension)).contains { if case .step = $0 { true } else { false } }
  }

  /// What the query needs of the events besides their meaning: ``needs``, and what its dimensions and conditions need.
  public var allNeeds: EventNeeds {
    var all = needs
    // A completion of a step is told apart by its detail.
    all.details = all.details || readsSteps
    all.subjects = all.subjects || conditions.contains { $0.dimension == .subject }
    return all
  }
}

/// The event that provides the value of a key that a group's anchor lacks (specification section 3).
public enum Attribution: String, Hashable, Sendable, CaseIterable {
  /// None: the value is that of the anchor, or absent.
  case anchor
  /// The group's first event after the anchor, within the window, that has the key.
  case known
}

/// Which of the events that can start a group's chain is its anchor (specification section 3).
public enum AnchorRule: String, Hashable, Sendable, CaseIterable {
  /// The first one, whatever the period. A group then has one day and one segment, so periods add up.
  case first
  /// The one in the period whose chain has the most matches; of several, the earliest. It is chosen by the outcome, so a report by it
  /// can't be split by time.
  case best
}

/// How strictly the steps of a funnel must follow one another (specification section 3).
public enum StepOrder: String, Hashable, Sendable, CaseIterable {
  /// In the flow's order; other events may occur between the steps.
  case ordered
  /// In the flow's order, without another required step between them.
  case strict
  /// In any order.
  case any
}

/// A key by which groups can be segmented.
public enum Dimension: Hashable, Sendable, CustomStringConvertible {
  case property(String)
  case context(String)
  /// All properties together, as a JSON object (``PropertiesText``); only reports ask for it.
  case properties
  case day
  case week
  case month
  /// The hour of the day, `00` to `23`.
  case hour
  /// The day of the week, `Mon` to `Sun`.
  case weekday
  /// The version of the flow.
  case version
  /// The subject of the group. Only conditions ask for it.
  case subject
  /// A property or context value (``EventField/property(_:)``, ``EventField/context(_:)``) of the event that matched a step.
  case step(id: String, EventField)

  /// Parses `ctx.variant`, `props.trigger`, `day`, `week`, `month`, `hour`, `weekday`, `version`, `subject`, `step.ID.props.KEY` or
  /// `step.ID.ctx.KEY`.
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

  /// Creates the dimension of a field, or returns nil for a step's id, which has none.
  private init?(_ field: EventField) {
    switch field {
    case .property(let key): self = .property(key)
    case .context(let key): self = .context(key)
    case .step: return nil
    }
  }

  /// The dimension whose values the log stores (for a step's value, that key of any event), or nil if the values are computed.
  public var stored: Dimension? {
    switch self {
    case .property, .context, .properties: self
    case .step(_, let field): Dimension(field)
    case .day, .week, .month, .hour, .weekday, .version, .subject: nil
    }
  }

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
