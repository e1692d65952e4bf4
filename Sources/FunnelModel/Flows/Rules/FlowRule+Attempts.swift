// Rules about attempts, how they end, and what an end is worth.

extension FlowRule {
  /// After so many real connections in a period the next attempt succeeds by itself.
  public struct AutoVerifyAfter: Hashable, Sendable {
    /// A stretch of the calendar, in UTC.
    public enum Period: String, Hashable, Sendable, CaseIterable {
      case day, week, month
    }

    /// How many successes are needed.
    public var connections: Int
    public var period: Period
    /// The event of a success.
    public var event: String
    /// The `props.method` of one that came by itself.
    public var method: String
    /// The step such an attempt does without.
    public var skippedStep: String?

    public init(connections: Int, period: Period, event: String, method: String, skippedStep: String? = nil) {
      self.connections = connections
      self.period = period
      self.event = event
      self.method = method
      self.skippedStep = skippedStep
    }
  }

  /// What a failure's reason tells of the attempt.
  public struct FailureReason: Hashable, Sendable {
    /// The event of the failure.
    public var event: String
    /// Its `props.reason`.
    public var reason: String
    /// The values of `props.type` that can fail so; if empty, any.
    public var types: [String]
    /// How long something would have had to last.
    public var minimumMilliseconds: Int?
    /// Within what time something would have had to happen.
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

  /// What a product costs.
  public struct Price: Hashable, Sendable {
    /// The value of `props.product`.
    public var product: String
    /// As it is written: the shortest decimal that reads as this number is the exact amount.
    public var amount: Double
    /// Three capital letters of ISO 4217.
    public var currency: String

    public init(product: String, amount: Double, currency: String) {
      self.product = product
      self.amount = amount
      self.currency = currency
    }
  }

  /// Points that an outcome earns instead of its own where a property has a value. The first such rule that holds wins.
  public struct ExperiencePointsWhen: Hashable, Sendable {
    /// What the property must be.
    public enum Condition: Hashable, Sendable {
      case equals(PropertyValue)
      case atLeast(Double)
    }

    public var outcome: String
    /// The values of `props.type` for which it holds; if empty, any.
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
