extension FlowDefinition.Outcome {
  /// The units in which the outcome is worth something, sorted.
  public var units: [String] { values.keys.sorted() }

  /// The properties that the outcome's values depend on, sorted.
  ///
  /// Each is taken from the outcome's event, or else from the group's last event before it that has the property.
  public var valueKeys: [String] {
    Set(values.values.joined().flatMap(\.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns what the outcome of one group is worth in a unit: the first amount whose conditions hold, and whose table, if it has one,
  /// lists the value of its property.
  ///
  /// - Parameters:
  ///   - unit: A unit such as `xp`.
  ///   - value: Returns the value of one of ``valueKeys``, or null if the group does not have the property.
  /// - Returns: The amount, or nil if the group earns none in this unit.
  public func amount(in unit: String, value: (String) -> PropertyValue) -> ExactDecimal? {
    for candidate in values[unit] ?? [] {
      if let amount = candidate.amount(value) { return amount }
    }
    return nil
  }
}
