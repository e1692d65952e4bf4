extension FlowDefinitionReader {
  /// Reads `upcasts`: the conversions of events of older builds.
  func readUpcasts(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.Upcast] {
    var result: [FlowDefinition.Upcast] = []
    for element in input.array(value, needed: "an array of upcasts") ?? [] {
      guard
        let object = input.object(element, allowed: ["from", "to"], required: ["from", "to"], needed: "an object (an upcast)")
      else { continue }
      let from = object["from"].flatMap { input.name($0) }
      let targets = object["to"].flatMap { readTargets($0, names: names) }
      guard let from, let targets else { continue }
      if result.contains(where: { $0.from == from }) {
        input.report("a second upcast from \(from.quoted), remove one", at: element)
      }
      result.append(FlowDefinition.Upcast(from: from, targets: targets))
    }
    return result
  }

  /// Reads `to`: the event or the array of events that an event is converted to.
  private func readTargets(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.UpcastTarget]? {
    guard value.node.array != nil else {
      return readTarget(value, needed: "an event {\"name\":…} (or an array of events)", names: names).map { [$0] }
    }
    return input.array(value, isEmptyAllowed: false).map { elements in
      elements.compactMap { readTarget($0, needed: "an event {\"name\":…}", names: names) }
    }
  }

  private func readTarget(
    _ value: ConfigurationValue, needed: String, names: FlowNames
  ) -> FlowDefinition.UpcastTarget? {
    guard let object = input.object(value, needed: needed) else { return nil }
    if object["name"] == nil { input.report("the key \"name\" is missing, add it", at: value) }
    var target = FlowDefinition.UpcastTarget(name: "")
    for member in object.members {
      switch (member.key, EventField(member.key)) {
      case ("name", _): target.name = input.name(member.value) ?? ""
      case (_, .step): target.step = UpcastValueReader(input: input, role: .step(ids: names.stepIDs)).read(member.value)
      case (_, .property(let key)): target.props[key] = UpcastValueReader(input: input, role: .property).read(member.value)
      default:
        let nearest = NearestName.find(member.key, in: ["name", "step"]).map { ", did you mean \"\($0)\"?" } ?? ","
        input.report(
          "unknown key \(member.key.quoted)\(nearest) allowed: name, props.<key>, step", at: member.position,
          path: member.value.path)
      }
    }
    return target
  }
}
