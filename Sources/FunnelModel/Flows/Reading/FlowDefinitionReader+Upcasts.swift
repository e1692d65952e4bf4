extension FlowDefinitionReader {
  /// Reads `upcasts`: the conversions of events of older builds.
  func readUpcasts(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.Upcast] {
    var result: [FlowDefinition.Upcast] = []
    for element in input.array(value, needed: "an array of upcasts") ?? [] {
      guard
        let object = input.object(element, allowed: ["from", "to"], required: ["from", "to"], needed: "an object (an upcast)")
      else { continue }
      let from = object.name("from")
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
        let nearest = NearestName.suggestion(for: member.key, in: ["name", "step"])
        input.report(
          "unknown key \(member.key.quoted)\(nearest) allowed: name, props.<key>, step", atKeyOf: member)
      }
    }
    return target
  }
}

/// Reads a value that an upcast sets: a literal, a field of the logged event, or a table of values.
struct UpcastValueReader {
  let input: ConfigurationReader
  let role: Role

  /// The field that the value is for.
  enum Role {
    /// A property. A literal may be any scalar.
    case property
    /// The step. A literal must be one of the IDs. They are `nil` if the flow's steps are invalid, and literals
    /// are then not checked.
    case step(ids: [String]?)
  }

  /// Reads a value, or reports a problem and returns `nil` if it is invalid.
  func read(_ value: ConfigurationValue) -> FlowDefinition.UpcastValue? {
    if value.node.object != nil { return readMapping(value) }
    guard let text = value.node.string, text.hasPrefix("$") else { return literal(value).map { .literal($0) } }
    guard let field = EventField(text.dropFirst()) else {
      input.report(
        "\(text.quoted) is not a field of an event, allowed: \"$step\", \"$props.<key>\", \"$ctx.<key>\"", at: value)
      return nil
    }
    return .field(field)
  }

  /// Reads `{"$map":"props.kind","values":{…},"else":"keep"}`.
  private func readMapping(_ value: ConfigurationValue) -> FlowDefinition.UpcastValue? {
    guard let object = input.object(value, allowed: ["$map", "values", "else"], required: ["$map", "values"]) else {
      return nil
    }
    let field = object["$map"].flatMap(readField)
    let values = object["values"].flatMap(readValues)
    let otherwise = object["else"].flatMap { $0.node.string == "keep" ? nil : literal($0) }
    guard let field, let values else { return nil }
    return .mapped(field, FlowDefinition.UpcastMapping(values: values, otherwise: otherwise))
  }

  private func readField(_ value: ConfigurationValue) -> EventField? {
    input.parsed(
      value, needed: "a field such as \"props.kind\"",
      problem: "is not a field of an event, allowed: step, props.<key>, ctx.<key>", EventField.init)
  }

  private func readValues(_ value: ConfigurationValue) -> [String: PropertyValue]? {
    guard let object = input.object(value, needed: "an object of new values by logged value") else { return nil }
    if object.members.isEmpty { input.report("the object is empty, at least one value is needed", at: value) }
    var result: [String: PropertyValue] = [:]
    for member in object.members { result[member.key] = literal(member.value) }
    return result
  }

  /// Reads a constant, which depends on the role.
  private func literal(_ value: ConfigurationValue) -> PropertyValue? {
    guard case .step(let ids) = role else {
      guard value.node.array == nil else {
        input.reportKind("a string, number, boolean, null, or {\"$map\":…}", at: value)
        return nil
      }
      return input.scalar(value)
    }
    guard let name = input.name(value, needed: "a step id, a field such as \"$props.<key>\", or {\"$map\":…}") else {
      return nil
    }
    input.checkReference(to: name, in: ids, "step", at: value)
    return .string(name)
  }
}
