extension FlowDefinitionReader {
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
    let members = input.object(value)?.members ?? []
    if members.isEmpty { input.report("the object is empty, at least one value of props.type is needed", at: value) }
    for member in members {
      guard !member.key.isEmpty else {
        input.report("the key is empty, a value of props.type is needed", at: member.position, path: member.value.path)
        continue
      }
      result[member.key] = input.integer(member.value, atLeast: 0)
    }
    return result
  }
}
