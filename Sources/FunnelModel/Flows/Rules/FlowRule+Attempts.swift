// Rules about attempts, their outcomes, and the points an outcome earns.

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

  /// The price of a product.
  public struct Price: Hashable, Sendable {
    /// The value of `props.product`.
    public var product: String
    /// The amount as written: the shortest decimal that reads as this number is the exact amount.
    public var amount: Double
    /// The currency, as three capital letters of ISO 4217.
    public var currency: String

    public init(product: String, amount: Double, currency: String) {
      self.product = product
      self.amount = amount
      self.currency = currency
    }
  }

  /// The points that an outcome earns instead of its own if a property meets a condition. The first such rule that applies wins.
  public struct ExperiencePointsWhen: Hashable, Sendable {
    /// The condition on the property.
    public enum Condition: Hashable, Sendable {
      case equals(PropertyValue)
      case atLeast(Double)
    }

    public var outcome: String
    /// The values of `props.type` for which the rule applies; if empty, all of them.
    public var types: [String]
    public var property: String
    public var condition: Condition
    public var points: Int

    public init(outcome: String, types: [String] = [], property: String, condition: Condition, points: Int) {
      self.outcome = outcome
      self.types = types
      self.property = property
      self.condition = condition
      self.points = points
    }
  }
}
