extension FlowDefinitionReader {
  func readLocks(_ value: ConfigurationValue) -> [FlowDefinition.Lock] {
    let members = input.object(value, needed: "an object of features by permission")?.members ?? []
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      guard let features = input.names(member.value), isNamed else { return nil }
      return FlowDefinition.Lock(permission: member.key, features: features)
    }
  }

  func readRules(_ value: ConfigurationValue) -> [FlowDefinition.Rule] {
    let elements = input.array(value, needed: "an array of rules") ?? []
    return elements.compactMap { element in
      guard let object = input.object(element, needed: "an object (a rule)") else { return nil }
      guard let name = object["rule"] else {
        input.report("the key \"rule\" is missing, add it", at: element)
        return nil
      }
      var rule = FlowDefinition.Rule(name: input.name(name) ?? "")
      for member in object.members where member.key != "rule" {
        guard input.isKeyName(member) else { continue }
        rule.parameters[member.key] = readParameter(member.value)
      }
      return rule
    }
  }

  private func readParameter(_ value: ConfigurationValue) -> [PropertyValue] {
    guard value.node.array != nil else {
      guard value.node.object == nil else {
        input.reportKind("a string, number, boolean, null, or an array of these", at: value)
        return []
      }
      return input.scalar(value).map { [$0] } ?? []
    }
    return (input.array(value) ?? []).compactMap { input.scalar($0) }
  }

  /// Checks that locks, rules and upcasts speak of steps and permissions the flow has.
  func checkReferences(of definition: FlowDefinition, in object: ConfigurationObject) {
    let steps = definition.steps.map(\.id)
    let permissions = definition.permissions.map(\.name)
    if let locks = object["locks"]?.node.object, let place = object["locks"] {
      for lock in locks {
        check(lock.key, in: permissions, "permission", at: lock.position, path: place.path(ofMember: lock.key))
      }
    }
    for rule in elements(of: object["rules"]) {
      checkParameters(of: rule, ["step", "steps"], in: steps, "step")
      checkParameters(of: rule, ["permission", "permissions"], in: permissions, "permission")
      // Beside a step, "to" is where the flow goes from it; alone, it is the end of an event name.
      if rule.node["step"] != nil { checkParameters(of: rule, ["to"], in: steps, "step") }
    }
    for upcast in elements(of: object["upcasts"]) {
      guard let target = upcast.node["to"], let step = target["step"], let text = step.string, !text.hasPrefix("$") else {
        continue
      }
      check(text, in: steps, "step", at: step.position, path: upcast.path + ".to.step")
    }
  }

  private func checkParameters(of rule: ConfigurationValue, _ keys: [String], in names: [String], _ what: String) {
    for key in keys {
      guard let node = rule.node[key] else { continue }
      let path = rule.path(ofMember: key)
      if let name = node.string {
        check(name, in: names, what, at: node.position, path: path)
      } else if let nodes = node.array {
        for (index, element) in nodes.enumerated() {
          guard let name = element.string else { continue }
          check(name, in: names, what, at: element.position, path: "\(path)[\(index)]")
        }
      }
    }
  }

  private func check(_ name: String, in names: [String], _ what: String, at position: JSONDocument.Position, path: String) {
    guard !names.contains(name) else { return }
    let nearest = NearestName.find(name, in: names).map { ", did you mean \"\($0)\"?" } ?? ","
    let allowed = names.isEmpty ? "it has none" : "allowed: \(names.joined(separator: ", "))"
    input.report("the flow has no \(what) \(name.quoted)\(nearest) \(allowed)", at: position, path: path)
  }

  private func elements(of value: ConfigurationValue?) -> [ConfigurationValue] {
    guard let value else { return [] }
    return (value.node.array ?? []).enumerated().map { ConfigurationValue(node: $1, path: "\(value.path)[\($0)]") }
  }
}
