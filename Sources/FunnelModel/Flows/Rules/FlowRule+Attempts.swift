// Rules about attempts and their outcomes.

extension FlowRule {
  /// A rule: after a number of successes in a period, the next attempt succeeds automatically.
  public struct AutoVerifyAfter: Hashable, Sendable {
    /// A unit of the calendar, in UTC.
    public enum Period: String, Hashable, Sendable, CaseIterable {
      case day, week, month
    }

    /// The required number of successes.
    public var connections: Int
    /// The period in which they must occur.
    public var period: Period
    /// The event of a success.
    public var event: String
    /// The `props.method` of an automatic success.
    public var method: String
    /// The ID of the step that an automatic success skips, or `nil` if it skips none.
    public var skippedStep: String?

    /// Creates a rule.
    public init(connections: Int, period: Period, event: String, method: String, skippedStep: String? = nil) {
      self.connections = connections
      self.period = period
      self.event = event
      self.method = method
      self.skippedStep = skippedStep
    }
  }

  /// A rule: a failure with a certain reason has a certain type and duration.
  public struct FailureReason: Hashable, Sendable {
    /// The event of the failure.
    public var event: String
    /// The `props.reason` of the failure.
    public var reason: String
    /// The allowed values of `props.type`. An empty array allows all values.
    public var types: [String]
    /// The required duration that the attempt did not reach, in milliseconds, or `nil` if there is none.
    public var minimumMilliseconds: Int?
    /// The time limit that the attempt exceeded, in milliseconds, or `nil` if there is none.
    public var withinMilliseconds: Int?

    /// Creates a rule.
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
