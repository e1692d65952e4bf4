extension FlowDefinition {
  /// The worth of an outcome in some unit, if the properties of its event meet conditions.
  public struct Amount: Hashable, Sendable {
    /// The conditions, all of which must hold.
    public var conditions: [AmountCondition]
    /// The source of the amount.
    public var source: Source

    /// The source of an amount.
    public enum Source: Hashable, Sendable {
      /// A constant.
      case fixed(ExactDecimal)
      /// The amount in a table for the value of a property, by the value's text (``PropertyValue/description``).
      case byProperty(String, amounts: [String: ExactDecimal])
    }

    /// Creates an amount.
    public init(conditions: [AmountCondition] = [], source: Source) {
      self.conditions = conditions
      self.source = source
    }
  }

  /// A condition on a property, under which an ``Amount`` applies.
  public struct AmountCondition: Hashable, Sendable {
    /// The key in `props`.
    public var property: String
    /// The values that meet the condition.
    public var test: Test

    /// A set of property values.
    public enum Test: Hashable, Sendable {
      /// These values. Null matches an absent property, and `1` equals `1.0`, as in JSON Schema.
      case oneOf([PropertyValue])
      /// The numbers between two bounds, inclusive. A `nil` bound means no limit. Strings that contain a number are included.
      case range(minimum: Double?, maximum: Double?)
    }

    /// Creates a condition.
    public init(property: String, test: Test) {
      self.property = property
      self.test = test
    }
  }
}

extension FlowDefinition.Amount {
  /// The properties that the amount depends on.
  var keys: [String] {
    let keys = conditions.map(\.property)
    if case .byProperty(let key, _) = source { return keys + [key] }
    return keys
  }

  /// Whether the amount applies to every event.
  var isUnconditional: Bool {
    if case .fixed = source { conditions.isEmpty } else { false }
  }

  /// Returns the amount for an event, or `nil` if a condition does not hold or the table does not have the property's value.
  ///
  /// - Parameter value: A closure that returns the value of a property, or null if it is absent.
  func amount(_ value: (String) -> PropertyValue) -> ExactDecimal? {
    guard conditions.allSatisfy({ $0.test.holds(for: value($0.property)) }) else { return nil }
    switch source {
    case .fixed(let amount): return amount
    case .byProperty(let key, let amounts):
      let value = value(key)
      return value == .null ? nil : amounts[value.description]
    }
  }
}

extension FlowDefinition.AmountCondition.Test {
  /// Returns whether the set contains a value. The value of an absent property is null.
  func holds(for value: PropertyValue) -> Bool {
    switch self {
    case .oneOf(let values): return values.contains { $0.isEqualInJSON(to: value) }
    case .range(let minimum, let maximum):
      let number = value.segmentValue(isText: false)
      guard number.isNumber else { return false }
      if let minimum, number.isNumber(.less, than: minimum) { return false }
      if let maximum, number.isNumber(.greater, than: maximum) { return false }
      return true
    }
  }
}
