extension ImportMapping {
  /// The mapping as JSON (`Schemas/mapping.v1.schema.json`), with one event per line.
  ///
  /// Parsing it gives the same mapping, except for its ``source``.
  ///
  /// - Parameters:
  ///   - order: The names of ``events`` in the order in which they are written. Others follow, sorted.
  ///   - undecidedTime: The forms of times among which the user has to choose. All of them are written, so the JSON is no valid
  ///     mapping before the user chooses.
  package func json(order: [String] = [], undecidedTime: [TimeForm] = []) -> String {
    var members: [(key: String, json: String)] = []
    if let format { members.append(("from", Self.string(format.rawValue))) }
    if let encoding { members.append(("encoding", Self.string(encoding.rawValue))) }
    if let records { members.append(("records", Self.paths([records]))) }
    if let header { members.append(("header", "[" + header.map(Self.string).joined(separator: ", ") + "]")) }
    if let app { members.append(("app", Self.string(app))) }
    if !subject.isEmpty { members.append(("subject", Self.paths(subject))) }
    if let user { members.append(("user", user.isEmpty ? "null" : Self.paths(user))) }
    if !id.isEmpty { members.append(("id", Self.paths(id))) }
    if !timestamp.isEmpty { members.append(("ts", timeJSON(undecided: undecidedTime))) }
    if !name.isEmpty { members.append(("name", Self.paths(name))) }
    if !props.isEmpty { members.append(("props", Self.members(props))) }
    if !context.isEmpty { members.append(("ctx", Self.members(context))) }
    members.append(("events", eventsJSON(order: order)))
    members.append(("other_events", Self.string(keepsOtherEvents ? "keep" : "drop")))
    return "{\n" + members.map { "  \"\($0.key)\": \($0.json)" }.joined(separator: ",\n") + "\n}\n"
  }

  private func timeJSON(undecided: [TimeForm]) -> String {
    let forms = undecided.isEmpty ? [timeForm].compactMap(\.self) : undecided
    guard !forms.isEmpty else { return Self.paths(timestamp) }
    let text = forms.map(\.text).joined(separator: " or ")
    return "{\"path\": \(Self.paths(timestamp)), \"format\": \(Self.string(text))}"
  }

  private func eventsJSON(order: [String]) -> String {
    let listed = order.filter { events[$0] != nil }
    let names = listed + events.keys.filter { !listed.contains($0) }.sorted()
    guard !names.isEmpty else { return "{}" }
    let lines = names.map { name in "    \(Self.string(name)): \(Self.rules(events[name] ?? []))" }
    return "{\n" + lines.joined(separator: ",\n") + "\n  }"
  }

  private static func rules(_ rules: [EventMapping]) -> String {
    switch rules.count {
    case 0: "null"
    case 1: rules[0].json
    default: "[" + rules.map(\.json).joined(separator: ", ") + "]"
    }
  }

  fileprivate static func members(_ members: [MappedMember]) -> String {
    "{"
      + members.map { member in
        let path = string(member.path.text)
        let value = member.type == .text ? "{\"path\": \(path), \"type\": \"text\"}" : path
        return "\(string(member.key)): \(value)"
      }.joined(separator: ", ") + "}"
  }

  private static func paths(_ paths: [ImportedPath]) -> String {
    paths.count == 1 ? string(paths[0].text) : "[" + paths.map { string($0.text) }.joined(separator: ", ") + "]"
  }

  fileprivate static func string(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension EventMapping {
  /// The rule as JSON.
  fileprivate var json: String {
    var members: [String] = []
    for (key, text) in [("name", name), ("step", step), ("flow", flow)] {
      switch text {
      case nil: continue
      case .literal(let text): members.append("\"\(key)\": \(ImportMapping.string(text))")
      case .path(let path): members.append("\"\(key)\": \(ImportMapping.string("$\(path)"))")
      }
    }
    if !props.isEmpty { members.append("\"props\": \(ImportMapping.members(props))") }
    if !context.isEmpty { members.append("\"ctx\": \(ImportMapping.members(context))") }
    if !conditions.isEmpty {
      let texts = conditions.map { "\(ImportMapping.string($0.path.text)): \(Self.values($0.values))" }
      members.append("\"when\": {\(texts.joined(separator: ", "))}")
    }
    return "{\(members.joined(separator: ", "))}"
  }

  private static func values(_ values: [PropertyValue]) -> String {
    values.count == 1 ? value(values[0]) : "[" + values.map(value).joined(separator: ", ") + "]"
  }

  private static func value(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): ImportMapping.string(text)
    case .integer(let integer): String(integer)
    case .double(let double): double.jsonText
    case .bool(let bool): bool ? "true" : "false"
    case .null: "null"
    }
  }
}
