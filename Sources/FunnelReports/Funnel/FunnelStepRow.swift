public import FunnelProjections

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
