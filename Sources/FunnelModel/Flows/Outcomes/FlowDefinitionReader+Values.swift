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
          """, at: member.position, path: member.value.path)
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
        input.report("the key is empty, a value of the property is needed", at: member.position, path: member.value.path)
      }
      amounts[member.key] = input.amount(member.value)
    }
    return key.map { .byProperty($0, amounts: amounts) }
  }

  /// Reads the name of a property, such as `"props.type"`.
  private func readProperty(_ value: ConfigurationValue) -> String? {
    guard let text = value.node.string else {
      input.reportKind("a property such as \"props.type\"", at: value)
      return nil
    }
    guard case .property(let key)? = EventField(text) else {
      input.report("\(text.quoted) is not a property, allowed: props.<key>", at: value)
      return nil
    }
    return key
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
