public import FunnelProjections

/// The drop-off of one flow version in one segment.
public struct DropoffRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var entered: Int
  public var dropped: Int
  /// The number of groups that left because of an excluded event; nil if the flow and the query exclude none.
  public var excluded: Int?
  /// The required steps except the last.
  public var steps: [DropoffStepRow]

  public init(
    key: RowKey, title: String, entered: Int, dropped: Int, excluded: Int? = nil, steps: [DropoffStepRow]
  ) {
    self.key = key
    self.title = title
    self.entered = entered
    self.dropped = dropped
    self.excluded = excluded
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
