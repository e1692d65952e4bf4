extension FlowDefinitionReader {
  /// Reads the `where` of an amount: conditions by property. A condition is a value, an array of values, or the
  /// bounds of a number.
  func readAmountConditions(_ value: ConfigurationValue) -> [FlowDefinition.AmountCondition] {
    guard let object = input.object(value) else { return [] }
    if object.members.isEmpty { input.report("the object is empty, at least one condition is needed", at: value) }
    return object.members.compactMap { member in
      guard case .property(let key)? = EventField(member.key) else {
        input.report(
          "unknown field \(member.key.quoted), allowed: props.<key>", at: member.position, path: member.value.path)
        return nil
      }
      return readTest(member.value).map { FlowDefinition.AmountCondition(property: key, test: $0) }
    }
  }

  private func readTest(_ value: ConfigurationValue) -> FlowDefinition.AmountCondition.Test? {
    switch value.node.value {
    case .array: input.array(value, isEmptyAllowed: false).map { .oneOf($0.compactMap { input.scalar($0) }) }
    case .object: readRange(value)
    default: input.scalar(value).map { .oneOf([$0]) }
    }
  }

  private func readRange(_ value: ConfigurationValue) -> FlowDefinition.AmountCondition.Test? {
    guard let object = input.object(value, allowed: ["minimum", "maximum"]) else { return nil }
    if object["minimum"] == nil, object["maximum"] == nil {
      input.report("the key \"minimum\" or \"maximum\" is missing, add one", at: value)
    }
    let minimum = object["minimum"].flatMap { input.number($0) }
    let maximum = object["maximum"].flatMap { input.number($0) }
    if let minimum, let maximum, minimum > maximum {
      input.report("\"minimum\" is above \"maximum\", so no number matches, change one of them", at: value)
    }
    return .range(minimum: minimum, maximum: maximum)
  }
}
