public import FunnelProjections

/// One step of a funnel. Fields that do not apply to an optional step are `nil`.
public struct FunnelStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isOptional: Bool
  /// The number of groups that reached the step, or `nil` for an optional step if steps may come in any order.
  public var reached: Int?
  /// The share of the groups that reached the previous required step.
  public var fromPrevious: Double?
  /// The share of the groups that entered the flow.
  public var fromStart: Double?
  /// The number of groups that dropped after this step.
  public var dropped: Int?
  /// The number of groups in progress whose last matched step is this one.
  public var inProgress: Int?
  /// The time from the previous required step, in milliseconds.
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
