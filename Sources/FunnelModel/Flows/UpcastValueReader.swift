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
    guard let text = value.node.string else {
      input.reportKind("a field such as \"props.kind\"", at: value)
      return nil
    }
    guard let field = EventField(text) else {
      input.report("\(text.quoted) is not a field of an event, allowed: step, props.<key>, ctx.<key>", at: value)
      return nil
    }
    return field
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
