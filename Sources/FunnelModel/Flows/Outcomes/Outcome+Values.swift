extension FlowDefinition.Outcome {
  /// The units in which the outcome is worth something, sorted.
  public var units: [String] { values.keys.sorted() }

  /// The keys of the properties that the outcome's amounts depend on, sorted.
  ///
  /// The value of a property is that of the outcome's event, or of the group's last event before it that has the property.
  public var valueKeys: [String] {
    Set(values.values.joined().flatMap(\.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the worth of the outcome of one group in a unit: the first amount that applies.
  ///
  /// - Parameters:
  ///   - unit: A unit such as `xp`.
  ///   - value: A closure that returns the value of one of ``valueKeys``, or null if the group does not have the property.
  /// - Returns: The amount, or `nil` if no amount of the unit applies.
  public func amount(in unit: String, value: (String) -> PropertyValue) -> ExactDecimal? {
    for candidate in values[unit] ?? [] {
      if let amount = candidate.amount(value) { return amount }
    }
    return nil
  }
}
