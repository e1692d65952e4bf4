extension FlowDefinitionReader {
  func readEvents(_ value: ConfigurationValue) -> [FlowDefinition.EventDeclaration] {
    let members = input.object(value, needed: "an object of events by name")?.members ?? []
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      guard let object = input.object(member.value, allowed: ["props"]), isNamed else { return nil }
      return FlowDefinition.EventDeclaration(name: member.key, props: object["props"].map(readProperties) ?? [:])
    }
  }

  private func readProperties(_ value: ConfigurationValue) -> [String: PropertySchema] {
    var result: [String: PropertySchema] = [:]
    for member in input.object(value, needed: "an object of schemas by property")?.members ?? [] {
      result[member.key] = input.propertySchema(member.value)
    }
    return result
  }

  func readOutcomes(_ value: ConfigurationValue) -> [FlowDefinition.Outcome] {
    let members = input.object(value, needed: "an object of outcomes by name")?.members ?? []
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      let keys = ["label", "events", "where", "success", "xp"]
      guard let object = input.object(member.value, allowed: keys, required: ["events", "success"]), isNamed else { return nil }
      return FlowDefinition.Outcome(
        name: member.key,
        label: object["label"].flatMap { input.text($0) } ?? member.key,
        events: object["events"].flatMap { input.names($0, isEmptyAllowed: false) } ?? [],
        conditions: object["where"].map(readConditions) ?? [],
        isSuccess: object["success"].flatMap { input.bool($0) } ?? false,
        experiencePoints: object["xp"].map(readExperiencePoints) ?? [:])
    }
  }

  private func readExperiencePoints(_ value: ConfigurationValue) -> [String: Int] {
    guard value.node.object != nil else {
      guard value.node.double != nil else {
        input.reportKind("a whole number (or an object of them by props.type)", at: value)
        return [:]
      }
      return input.integer(value, atLeast: 0).map { ["": $0] } ?? [:]
    }
    var result: [String: Int] = [:]
    for member in input.object(value)?.members ?? [] {
      guard !member.key.isEmpty else {
        input.report("the key is empty, a value of props.type is needed", at: member.position, path: member.value.path)
        continue
      }
      result[member.key] = input.integer(member.value, atLeast: 0)
    }
    return result
  }

  func readUpcasts(_ value: ConfigurationValue) -> [FlowDefinition.Upcast] {
    var result: [FlowDefinition.Upcast] = []
    for element in input.array(value, needed: "an array of upcasts") ?? [] {
      guard let object = input.object(element, allowed: ["from", "to"], required: ["from", "to"]) else { continue }
      let from = object["from"].flatMap { input.name($0) }
      let target = object["to"].flatMap { input.object($0, allowed: ["name", "step"], required: ["name"]) }
      let name = target?["name"].flatMap { input.name($0) }
      let step = target?["step"].flatMap(readUpcastValue)
      guard let from, let name else { continue }
      if result.contains(where: { $0.from == from }) {
        input.report("a second upcast from \(from.quoted), remove one", at: element)
      }
      result.append(FlowDefinition.Upcast(from: from, name: name, step: step))
    }
    return result
  }

  private func readUpcastValue(_ value: ConfigurationValue) -> FlowDefinition.UpcastValue? {
    guard let text = value.node.string else {
      input.reportKind("a step id or \"$props.<key>\"", at: value)
      return nil
    }
    let prefix = "$props."
    if text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count { return .field(.property(String(text.dropFirst(prefix.count)))) }
    guard ConfigurationReader.isName(text) else {
      input.report(
        "\(text.quoted) is no value of an upcast, allowed: a step id, or \"$props.<key>\" for a property's value", at: value)
      return nil
    }
    return .literal(.string(text))
  }
}
