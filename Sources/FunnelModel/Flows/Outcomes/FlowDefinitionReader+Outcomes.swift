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
        label: object["label"].flatMap { input.text($0) } ?? member.key,
        events: object["events"].flatMap { input.names($0, isEmptyAllowed: false) } ?? [],
        conditions: object["where"].map(readConditions) ?? [],
        isSuccess: object["success"].flatMap { input.bool($0) } ?? false,
        values: object["values"].map(readValues) ?? [:])
      outcome.isEnd = object["ends"].flatMap { input.bool($0) } ?? true
      return outcome
    }
  }
}
