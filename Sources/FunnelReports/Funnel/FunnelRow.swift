public import FunnelProjections

/// The funnel of one flow version in one segment.
public struct FunnelRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  /// The conversion window, in milliseconds.
  public var windowMilliseconds: Int64
  public var entered: Int
  public var completed: Int
  public var inProgress: Int
  /// The number of groups that did not complete, and whose window has closed or that an outcome ended.
  public var dropped: Int
  /// The number of groups that began before the period and again in it, or `nil` if the query can't identify
  /// them. No other number of the row includes them.
  public var returned: Int?
  /// The number of dropped groups that entered the last required step within the window, but out of order.
  public var finishedOutOfOrder: Int
  /// The number of groups in progress that entered the last required step, but out of order.
  public var inProgressOutOfOrder: Int
  /// The number of groups that left because of an excluded event, or `nil` if the flow and the query exclude no
  /// events.
  public var excluded: Int?
  /// The share of the entered groups that completed, or `nil` if none entered.
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
    returned: Int? = nil,
    finishedOutOfOrder: Int = 0,
    inProgressOutOfOrder: Int = 0,
    excluded: Int? = nil,
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
    self.returned = returned
    self.finishedOutOfOrder = finishedOutOfOrder
    self.inProgressOutOfOrder = inProgressOutOfOrder
    self.excluded = excluded
    self.conversion = conversion
    self.closed = closed
    self.steps = steps
  }
}

/// The conversion of the groups whose window has closed. It changes only if late events arrive.
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
