extension FlowDefinition {
  /// An outcome of a group, such as a purchase.
  package struct Outcome: Hashable, Sendable {
    /// The name of the outcome, unique within its flow.
    package let name: String
    /// The name of the outcome in reports.
    package let label: String
    /// The names of the events that represent the outcome.
    package let events: [String]
    /// The conditions on such an event, all of which must hold.
    package let conditions: [PropertyCondition]
    /// Whether the outcome is a success.
    package let isSuccess: Bool
    /// Whether the outcome ends the group, so no further step is expected. False for an outcome in the middle
    /// of a flow, such as a closed paywall.
    package var isEnd = true
    /// The worth of the outcome by unit (`xp`, `USD`). The first amount of a unit that applies is used.
    package let values: [String: [Amount]]

    package init(
      name: String, label: String, events: [String] = [], conditions: [PropertyCondition] = [], isSuccess: Bool,
      values: [String: [Amount]] = [:]
    ) {
      self.name = name
      self.label = label
      self.events = events
      self.conditions = conditions
      self.isSuccess = isSuccess
      self.values = values
    }
  }

  /// Returns the keys of the properties that the definition declares for the events of an outcome
  /// (`events.NAME.props`), sorted. Reports break the outcome down by these properties.
  package func detailKeys(of outcome: Outcome) -> [String] {
    let keys = events.filter { outcome.events.contains($0.name) }.flatMap(\.props.keys)
    return Set(keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension FlowDefinition.Outcome {
  /// The units in which the outcome is worth something, sorted.
  package var units: [String] { values.keys.sorted() }

  /// The keys of the properties that the outcome's amounts depend on, sorted.
  ///
  /// The value of a property is that of the outcome's event, or of the group's last event before it that has the property.
  package var valueKeys: [String] {
    Set(values.values.joined().flatMap(\.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the worth of the outcome of one group in a unit: the first amount that applies.
  ///
  /// - Parameters:
  ///   - unit: A unit such as `xp`.
  ///   - value: A closure that returns the value of one of ``valueKeys``, or null if the group does not have the property.
  /// - Returns: The amount, or `nil` if no amount of the unit applies.
  package func amount(in unit: String, value: (String) -> PropertyValue) -> ExactDecimal? {
    for candidate in values[unit] ?? [] {
      if let amount = candidate.amount(value) { return amount }
    }
    return nil
  }
}

extension FlowDefinition {
  /// The worth of an outcome in some unit, if the properties of its event meet conditions.
  package struct Amount: Hashable, Sendable {
    /// The conditions, all of which must hold.
    package var conditions: [AmountCondition] = []
    /// The source of the amount.
    package let source: Source

    /// The source of an amount.
    package enum Source: Hashable, Sendable {
      /// A constant.
      case fixed(ExactDecimal)
      /// The amount in a table for the value of a property, by the value's text (``PropertyValue/description``).
      case byProperty(String, amounts: [String: ExactDecimal])
    }
  }

  /// A condition on a property, under which an ``Amount`` applies.
  package struct AmountCondition: Hashable, Sendable {
    /// The key in `props`.
    package let property: String
    /// The values that meet the condition.
    package let test: Test

    /// A set of property values.
    package enum Test: Hashable, Sendable {
      /// These values. Null matches an absent property, and `1` equals `1.0`, as in JSON Schema.
      case oneOf([PropertyValue])
      /// The numbers between two bounds, inclusive. A `nil` bound means no limit. Strings that contain a number are included.
      case range(minimum: Double?, maximum: Double?)
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
      guard number.numberValue != nil else { return false }
      if let minimum, number.order(to: minimum) == .before { return false }
      if let maximum, number.order(to: maximum) == .after { return false }
      return true
    }
  }
}
