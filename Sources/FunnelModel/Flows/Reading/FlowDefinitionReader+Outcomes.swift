extension FlowDefinitionReader {
  /// Reads `outcomes`: the outcomes of groups, by name.
  func readOutcomes(_ value: ConfigurationValue) -> [FlowDefinition.Outcome] {
    let members = input.object(value, needed: "an object of outcomes by name")?.members ?? []
    if members.count > Limits.flowOutcomesMax {
      input.report("\(members.count) outcomes, at most \(Limits.flowOutcomesMax) are allowed", at: value)
    }
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      let keys = ["label", "events", "where", "success", "ends", "values"]
      guard let object = input.object(member.value, allowed: keys, required: ["events", "success"]), isNamed else { return nil }
      var outcome = FlowDefinition.Outcome(
        name: member.key,
        label: object.text("label") ?? member.key,
        events: object["events"].flatMap { input.names($0, isEmptyAllowed: false) } ?? [],
        conditions: object["where"].map(readConditions) ?? [],
        isSuccess: object.bool("success") ?? false,
        values: object["values"].map(readValues) ?? [:])
      outcome.isEnd = object.bool("ends") ?? true
      return outcome
    }
  }
}

extension FlowDefinitionReader {
  /// Reads `values`: the worth of an outcome, by unit.
  func readValues(_ value: ConfigurationValue) -> [String: [FlowDefinition.Amount]] {
    var result: [String: [FlowDefinition.Amount]] = [:]
    let members = input.object(value, needed: "an object of amounts by unit")?.members ?? []
    if members.isEmpty, value.node.object != nil {
      input.report("the object is empty, at least one unit is needed", at: value)
    }
    for member in members {
      if !Self.isUnit(member.key) {
        input.report(
          """
          the key \(member.key.quoted) is not a valid unit, allowed: a letter, then up to \(Limits.nameBytesMax - 1) letters, digits and \
          underscores, as in xp or USD
          """, atKeyOf: member)
      }
      result[member.key] = readAmounts(member.value)
    }
    return result
  }

  /// Reads the amounts of a unit: one amount, or an array in order of precedence.
  private func readAmounts(_ value: ConfigurationValue) -> [FlowDefinition.Amount] {
    guard value.node.array != nil else {
      let needed = "a number, an object {\"amount\":…} or {\"by\":…,\"amounts\":…} (or an array of them)"
      return readAmount(value, needed: needed).map { [$0] } ?? []
    }
    var result: [FlowDefinition.Amount] = []
    for element in input.array(value, isEmptyAllowed: false) ?? [] {
      if result.last?.isUnconditional == true {
        input.report("the amount before this one has no condition, so this one is never used, put that one last", at: element)
      }
      let needed = "a number, or an object {\"amount\":…} or {\"by\":…,\"amounts\":…}"
      readAmount(element, needed: needed).map { result.append($0) }
    }
    return result
  }

  private func readAmount(_ value: ConfigurationValue, needed: String) -> FlowDefinition.Amount? {
    if case .number = value.node.value { return input.amount(value).map { .init(source: .fixed($0)) } }
    guard let object = input.object(value, needed: needed) else { return nil }
    let isTable = object["by"] != nil || object["amounts"] != nil
    if isTable, let location = object["amount"] {
      input.report("an amount has either \"amount\", or \"by\" and \"amounts\", remove one", at: location)
    }
    if !isTable, object["amount"] == nil {
      input.report("the key \"amount\" is missing, add it, or \"by\" and \"amounts\"", at: value)
    }
    _ = input.object(value, allowed: ["where", "amount", "by", "amounts"], required: isTable ? ["by", "amounts"] : [])
    let conditions = object["where"].map(readAmountConditions) ?? []
    let source = isTable ? readTable(object) : object["amount"].flatMap { input.amount($0) }.map { .fixed($0) }
    return source.map { FlowDefinition.Amount(conditions: conditions, source: $0) }
  }

  /// Reads `by` and `amounts`: a property, and the amounts by its values.
  private func readTable(_ object: ConfigurationObject) -> FlowDefinition.Amount.Source? {
    let key = object["by"].flatMap(readProperty)
    let members = object["amounts"].flatMap { input.object($0, needed: "an object of amounts by value") }?.members
    if let location = object["amounts"], members?.isEmpty == true {
      input.report("the object is empty, at least one value is needed", at: location)
    }
    var amounts: [String: ExactDecimal] = [:]
    for member in members ?? [] {
      if member.key.isEmpty {
        input.report("the key is empty, a value of the property is needed", atKeyOf: member)
      }
      amounts[member.key] = input.amount(member.value)
    }
    return key.map { .byProperty($0, amounts: amounts) }
  }

  /// Reads the name of a property, such as `"props.type"`.
  private func readProperty(_ value: ConfigurationValue) -> String? {
    input.parsed(
      value, needed: "a property such as \"props.type\"", problem: "is not a property, allowed: props.<key>"
    ) { text in
      if case .property(let key)? = EventField(text) { key } else { nil }
    }
  }

  /// Returns whether a text is a valid unit: a letter, then letters, digits and underscores.
  private static func isUnit(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, first.isASCIILetter, bytes.count <= Limits.nameBytesMax else { return false }
    return bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }
}

extension ConfigurationReader {
  /// Reads a decimal number exactly.
  fileprivate func amount(_ value: ConfigurationValue) -> ExactDecimal? {
    guard case .number(let text) = value.node.value else {
      reportKind("a number", at: value)
      return nil
    }
    let limit = ExactDecimal(Limits.amountMax)
    guard let amount = ExactDecimal(text), amount <= limit, amount >= ExactDecimal(-Limits.amountMax) else {
      report(
        "a number from -\(limit) to \(limit) with at most \(ExactDecimal.decimalPlaces) decimal places is needed, not \(text)",
        at: value)
      return nil
    }
    return amount
  }
}

extension FlowDefinitionReader {
  /// Reads the `where` of an amount: conditions by property. A condition is a value, an array of values, or the
  /// bounds of a number.
  func readAmountConditions(_ value: ConfigurationValue) -> [FlowDefinition.AmountCondition] {
    guard let object = input.object(value) else { return [] }
    if object.members.isEmpty { input.report("the object is empty, at least one condition is needed", at: value) }
    return object.members.compactMap { member in
      guard case .property(let key)? = EventField(member.key) else {
        input.report(
          "unknown field \(member.key.quoted), allowed: props.<key>", atKeyOf: member)
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
    let minimum = object.number("minimum")
    let maximum = object.number("maximum")
    if let minimum, let maximum, minimum > maximum {
      input.report("\"minimum\" is above \"maximum\", so no number matches, change one of them", at: value)
    }
    return .range(minimum: minimum, maximum: maximum)
  }
}
