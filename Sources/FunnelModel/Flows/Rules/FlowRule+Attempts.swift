// Rules about attempts and their outcomes.

extension FlowRule {
  /// A rule by which the next attempt succeeds automatically after a number of real connections in a period.
  public struct AutoVerifyAfter: Hashable, Sendable {
    /// A unit of the calendar, in UTC.
    public enum Period: String, Hashable, Sendable, CaseIterable {
      case day, week, month
    }

    /// The number of successes that are needed.
    public var connections: Int
    public var period: Period
    /// The event that a success logs.
    public var event: String
    /// The `props.method` of a success that was automatic.
    public var method: String
    /// The step that such an attempt omits.
    public var skippedStep: String?

    public init(connections: Int, period: Period, event: String, method: String, skippedStep: String? = nil) {
      self.connections = connections
      self.period = period
      self.event = event
      self.method = method
      self.skippedStep = skippedStep
    }
  }

  /// The meaning of a failure's reason for the attempt.
  public struct FailureReason: Hashable, Sendable {
    /// The event of the failure.
    public var event: String
    /// The `props.reason` of the failure.
    public var reason: String
    /// The values of `props.type` that can fail for this reason; if empty, all of them.
    public var types: [String]
    /// The duration that was required and not reached, in milliseconds.
    public var minimumMilliseconds: Int?
    /// The time within which something should have happened, in milliseconds.
    public var withinMilliseconds: Int?

    public init(
      event: String, reason: String, types: [String] = [], minimumMilliseconds: Int? = nil, withinMilliseconds: Int? = nil
    ) {
      self.event = event
      self.reason = reason
      self.types = types
      self.minimumMilliseconds = minimumMilliseconds
      self.withinMilliseconds = withinMilliseconds
    }
  }
}
