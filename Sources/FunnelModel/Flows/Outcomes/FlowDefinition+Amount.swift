extension FlowDefinition {
  /// An amount in some unit that an outcome is worth if the properties of its event meet conditions.
  public struct Amount: Hashable, Sendable {
    /// The conditions, all of which must hold.
    public var conditions: [AmountCondition]
    public var source: Source

    /// Where the amount is taken from.
    public enum Source: Hashable, Sendable {
      case fixed(ExactDecimal)
      /// The amount that a table assigns to the value of a property, by the value's text as a person writes it.
      case byProperty(String, amounts: [String: ExactDecimal])
    }

    public init(conditions: [AmountCondition] = [], source: Source) {
      self.conditions = conditions
      self.source = source
    }
  }

  /// A property, and the values it must have for an ``Amount`` to apply.
  public struct AmountCondition: Hashable, Sendable {
    /// The key in `props`.
    public var property: String
    public var test: Test

    /// The values that fulfil a condition.
    public enum Test: Hashable, Sendable {
      /// One of these values; null means that the property is absent. `1` equals `1.0`, as in JSON Schema.
      case oneOf([PropertyValue])
      /// A number, also as a text, between these bounds, inclusive; nil is no bound.
      case range(minimum: Double?, maximum: Double?)
    }

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

  /// Returns the amount for an event with certain properties, or nil if a condition does not hold or the table lacks the value.
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
  /// Returns whether a value, null if the property is absent, fulfils the condition.
  func holds(for value: PropertyValue) -> Bool {
    switch self {
    case .oneOf(let values): return values.contains { $0.isEqualInJSON(to: value) }
    case .range(let minimum, let maximum):
      let number = value.segmentValue(isText: false)
      return number.isNumber && !(minimum.map { number.isNumber(.less, than: $0) } ?? false)
        && !(maximum.map { number.isNumber(.greater, than: $0) } ?? false)
    }
  }
}
