public import FunnelModel

/// A share with its Wilson 95 % interval.
public struct Rate: Hashable, Sendable {
  /// The share, from 0 to 1.
  public var value: Double
  /// The lower end of the interval.
  public var low: Double
  /// The upper end of the interval.
  public var high: Double
  /// The total that the share refers to.
  public var denominator: Int

  public init(value: Double, low: Double, high: Double, denominator: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.denominator = denominator
  }
}

/// Quantiles of durations in milliseconds.
public struct Quantiles: Hashable, Sendable {
  public var p50: Int64
  public var p90: Int64
  public var p99: Int64

  public init(p50: Int64, p90: Int64, p99: Int64) {
    self.p50 = p50
    self.p90 = p90
    self.p99 = p99
  }
}

/// The flow version and the segment of a row.
public struct RowKey: Hashable, Sendable {
  public var app: String
  public var flow: String
  public var version: Int
  /// One value for each dimension of the query's `by`.
  public var segment: [PropertyValue]

  public init(app: String, flow: String, version: Int, segment: [PropertyValue]) {
    self.app = app
    self.flow = flow
    self.version = version
    self.segment = segment
  }
}

/// One flow version's funnel in one segment.
public struct FunnelRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var windowMilliseconds: Int64
  public var entered: Int
  public var completed: Int
  public var inProgress: Int
  public var dropped: Int
  public var conversion: Rate?
  /// The conversion of the groups whose window has closed.
  public var closed: ClosedConversion
  public var steps: [FunnelStepRow]

  public init(
    key: RowKey,
    title: String,
    windowMilliseconds: Int64,
    entered: Int,
    completed: Int,
    inProgress: Int,
    dropped: Int,
    conversion: Rate? = nil,
    closed: ClosedConversion = ClosedConversion(),
    steps: [FunnelStepRow]
  ) {
    self.key = key
    self.title = title
    self.windowMilliseconds = windowMilliseconds
    self.entered = entered
    self.completed = completed
    self.inProgress = inProgress
    self.dropped = dropped
    self.conversion = conversion
    self.closed = closed
    self.steps = steps
  }
}

/// The conversion of the groups whose window has closed, completed or not; it changes only if late events arrive.
public struct ClosedConversion: Hashable, Sendable {
  public var entered: Int
  public var completed: Int
  public var conversion: Rate?

  public init(entered: Int = 0, completed: Int = 0, conversion: Rate? = nil) {
    self.entered = entered
    self.completed = completed
    self.conversion = conversion
  }
}

/// The grants of the groups whose window has closed.
public struct ClosedGrants: Hashable, Sendable {
  public var prompted: Int
  public var granted: Int
  public var grantRate: Rate?

  public init(prompted: Int = 0, granted: Int = 0, grantRate: Rate? = nil) {
    self.prompted = prompted
    self.granted = granted
    self.grantRate = grantRate
  }
}

/// One step of a funnel. Fields that do not apply to an optional step are nil.
public struct FunnelStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isOptional: Bool
  /// The groups that reached the step; nil for optional steps if steps come in any order.
  public var reached: Int?
  public var fromPrevious: Double?
  public var fromStart: Double?
  public var dropped: Int?
  public var inProgress: Int?
  public var timeFromPrevious: Quantiles?

  public init(
    id: String,
    label: String,
    isOptional: Bool,
    reached: Int? = nil,
    fromPrevious: Double? = nil,
    fromStart: Double? = nil,
    dropped: Int? = nil,
    inProgress: Int? = nil,
    timeFromPrevious: Quantiles? = nil
  ) {
    self.id = id
    self.label = label
    self.isOptional = isOptional
    self.reached = reached
    self.fromPrevious = fromPrevious
    self.fromStart = fromStart
    self.dropped = dropped
    self.inProgress = inProgress
    self.timeFromPrevious = timeFromPrevious
  }
}

/// The answers to one permission in one flow version and segment.
public struct GrantRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var permission: String
  /// The meaning of a grant if the system does not disclose the answer (as with HealthKit), from the flow's `grant_undisclosed` rule.
  public var note: String?
  public var prompted: Int
  public var granted: Int
  public var limited: Int
  public var denied: Int
  public var skipped: Int
  public var unanswered: Int
  public var inProgress: Int
  public var recovered: Int
  /// Groups with a system dialog and no pre-prompt before it; nil if the query has segments or conditions.
  public var unprimed: Int?
  public var grantRate: Rate?
  public var accessRate: Rate?
  public var dialogGrantRate: Rate?
  /// The grants of the groups whose window has closed.
  public var closed: ClosedGrants
  public var decisionTime: Quantiles?

  public init(
    key: RowKey,
    title: String = "",
    permission: String,
    note: String? = nil,
    prompted: Int,
    granted: Int,
    limited: Int,
    denied: Int,
    skipped: Int,
    unanswered: Int,
    inProgress: Int,
    recovered: Int,
    unprimed: Int? = nil,
    grantRate: Rate? = nil,
    accessRate: Rate? = nil,
    dialogGrantRate: Rate? = nil,
    closed: ClosedGrants = ClosedGrants(),
    decisionTime: Quantiles? = nil
  ) {
    self.key = key
    self.title = title
    self.permission = permission
    self.note = note
    self.prompted = prompted
    self.granted = granted
    self.limited = limited
    self.denied = denied
    self.skipped = skipped
    self.unanswered = unanswered
    self.inProgress = inProgress
    self.recovered = recovered
    self.unprimed = unprimed
    self.grantRate = grantRate
    self.accessRate = accessRate
    self.dialogGrantRate = dialogGrantRate
    self.closed = closed
    self.decisionTime = decisionTime
  }
}

/// The drop-off of one flow version in one segment.
public struct DropoffRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var entered: Int
  public var dropped: Int
  /// The required steps except the last.
  public var steps: [DropoffStepRow]

  public init(key: RowKey, title: String, entered: Int, dropped: Int, steps: [DropoffStepRow]) {
    self.key = key
    self.title = title
    self.entered = entered
    self.dropped = dropped
    self.steps = steps
  }
}

/// The groups that dropped off at one required step.
public struct DropoffStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var dropped: Int
  public var shareOfEntered: Double?
  public var shareOfReached: Double?
  /// The numbers of groups by how they left, in the order of ``ExitKind/allCases``.
  public var exits: [Int]
  /// The numbers of groups by the last step they were on, in the order of the flow, without zeros.
  public var lastSteps: [LastStep]
  public var dwell: Quantiles?

  public init(
    id: String,
    label: String,
    dropped: Int,
    shareOfEntered: Double? = nil,
    shareOfReached: Double? = nil,
    exits: [Int],
    lastSteps: [LastStep] = [],
    dwell: Quantiles? = nil
  ) {
    self.id = id
    self.label = label
    self.dropped = dropped
    self.shareOfEntered = shareOfEntered
    self.shareOfReached = shareOfReached
    self.exits = exits
    self.lastSteps = lastSteps
    self.dwell = dwell
  }
}

/// The number of groups, of those that dropped off at a required step, whose last step was this one, possibly a later optional step.
public struct LastStep: Hashable, Sendable {
  public var id: String
  public var label: String
  public var groups: Int

  public init(id: String, label: String, groups: Int) {
    self.id = id
    self.label = label
    self.groups = groups
  }
}

/// A report: the query, and the selected answers; the others are nil.
public struct Report: Sendable {
  public var query: ReportQuery
  public var funnel: [FunnelRow]?
  public var grants: [GrantRow]?
  public var dropoff: [DropoffRow]?
  /// The parts of the log that could not be read; nil if everything that was needed could be.
  public var damage: ReportDamage?
  /// The contents of the log, in sentences, if the report has no row.
  public var logContents: [String] = []

  /// Whether no flow has a row in any of the answers.
  public var isEmpty: Bool { (funnel ?? []).isEmpty && (grants ?? []).isEmpty && (dropoff ?? []).isEmpty }

  public init(query: ReportQuery, funnel: [FunnelRow]? = nil, grants: [GrantRow]? = nil, dropoff: [DropoffRow]? = nil) {
    self.query = query
    self.funnel = funnel
    self.grants = grants
    self.dropoff = dropoff
  }
}
