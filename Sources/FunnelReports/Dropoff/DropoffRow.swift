public import FunnelProjections

/// The drop-off of one flow version in one segment.
public struct DropoffRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var entered: Int
  public var dropped: Int
  public var inProgress: Int
  /// The number of groups that left because of an excluded event, or `nil` if the flow and the query exclude no
  /// events.
  public var excluded: Int?
  /// The required steps except the last.
  public var steps: [DropoffStepRow]

  public init(
    key: RowKey, title: String, entered: Int, dropped: Int, inProgress: Int = 0, excluded: Int? = nil, steps: [DropoffStepRow]
  ) {
    self.key = key
    self.title = title
    self.entered = entered
    self.dropped = dropped
    self.inProgress = inProgress
    self.excluded = excluded
    self.steps = steps
  }
}

/// The groups that dropped off at one required step.
public struct DropoffStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  /// The number of groups that dropped after this step.
  public var dropped: Int
  /// The share of dropped groups among those that entered the flow, or `nil` if none entered.
  public var shareOfEntered: Double?
  /// The share of dropped groups among those that reached the step, or `nil` if none reached it.
  public var shareOfReached: Double?
  /// The number of groups that reached the step.
  public var reached: Int
  public var inProgress: Int
  /// The numbers of the groups whose window has closed.
  public var closed: ClosedDropoff
  /// The estimated number of completions that the step lost, among closed groups, or `nil` if no closed group
  /// reached the next required step.
  public var lostCompletions: Double?
  /// The numbers of groups by the way they left, in the order of ``ExitKind/allCases``.
  public var exits: [Int]
  /// The numbers of groups by their last step, in the order of the flow, without zeros.
  public var lastSteps: [LastStep]
  /// The time of dropped groups from the match of the step to their last event, in milliseconds.
  public var dwell: Quantiles?

  public init(
    id: String,
    label: String,
    dropped: Int,
    shareOfEntered: Double? = nil,
    shareOfReached: Double? = nil,
    reached: Int = 0,
    inProgress: Int = 0,
    closed: ClosedDropoff = ClosedDropoff(),
    lostCompletions: Double? = nil,
    exits: [Int],
    lastSteps: [LastStep] = [],
    dwell: Quantiles? = nil
  ) {
    self.id = id
    self.label = label
    self.dropped = dropped
    self.shareOfEntered = shareOfEntered
    self.shareOfReached = shareOfReached
    self.reached = reached
    self.inProgress = inProgress
    self.closed = closed
    self.lostCompletions = lostCompletions
    self.exits = exits
    self.lastSteps = lastSteps
    self.dwell = dwell
  }
}

/// The drop-off of the groups whose window has closed, at one required step. Groups in progress do not bias it.
public struct ClosedDropoff: Hashable, Sendable {
  public var reached: Int
  public var dropped: Int

  public init(reached: Int = 0, dropped: Int = 0) {
    self.reached = reached
    self.dropped = dropped
  }

  /// The share of the groups that reached the step and dropped there, or `nil` if none reached it.
  public var share: Double? { Rate.share(dropped, of: reached) }

  /// Returns the estimated number of lost completions, or `nil` if no group reached the next step.
  ///
  /// It assumes that the dropped groups would have completed at the same rate as those that reached the next step.
  func lostCompletions(completed: Int, reachedNext: Int) -> Double? {
    reachedNext > 0 ? Double(dropped) * Double(completed) / Double(reachedNext) : nil
  }
}

/// The number of groups that dropped off at a required step and were last seen on a given step, such as a later
/// optional one.
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
