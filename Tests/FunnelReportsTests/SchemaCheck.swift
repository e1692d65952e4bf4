import FunnelModel

/// Checks a JSON document against a JSON Schema (draft 2020-12) with the keywords that the schema of reports uses.
///
/// Any other keyword is an error, so that no part of a schema is ignored.
struct SchemaCheck {
  private let root: JSONDocument.Node
  private static let annotations: Set<String> = ["$schema", "$id", "$defs", "title", "description", "format", "then", "else"]

  init(schema: [UInt8]) throws { root = try JSONDocument(parsing: schema).root }

  /// Returns the problems of a document, each with its position, or an empty array if the document is valid.
  func problems(in document: [UInt8]) throws -> [String] {
    problems(try JSONDocument(parsing: document).root, root, at: "$")
  }

  private func problems(_ node: JSONDocument.Node, _ schema: JSONDocument.Node, at place: String) -> [String] {
    (schema.object ?? []).flatMap { keyword in
      problems(node, schema, keyword.key, keyword.node, at: place)
    }
  }

  private func problems(
    _ node: JSONDocument.Node, _ schema: JSONDocument.Node, _ keyword: String, _ value: JSONDocument.Node, at place: String
  ) -> [String] {
    func check(_ isValid: Bool) -> [String] { isValid ? [] : ["\(place): \(keyword)"] }
    switch keyword {
    case _ where Self.annotations.contains(keyword): return []
    case "$ref": return problems(node, definition(value.string ?? ""), at: place)
    case "type": return check((value.array ?? [value]).contains { Self.matches(node, type: $0.string ?? "") })
    case "enum": return check((value.array ?? []).contains { $0.value == node.value })
    case "const": return check(value.value == node.value)
    case "minimum": return check((Self.number(node) ?? .infinity) >= Self.number(value) ?? .infinity)
    case "maximum": return check((Self.number(node) ?? -.infinity) <= Self.number(value) ?? -.infinity)
    case "minItems": return check((node.array?.count).map { $0 >= Int(value.integer ?? 0) } ?? true)
    case "maxItems": return check((node.array?.count).map { $0 <= Int(value.integer ?? 0) } ?? true)
    case "pattern":
      guard let text = node.string, let pattern = value.string, let regex = try? Regex(pattern) else {
        return check(node.string == nil)
      }
      return check(text.firstMatch(of: regex) != nil)
    case "required":
      let keys = (node.object ?? []).map(\.key)
      return node.object == nil
        ? [] : (value.array ?? []).compactMap(\.string).filter { !keys.contains($0) }.map { "\(place): no \($0)" }
    case "oneOf": return check((value.array ?? []).count { problems(node, $0, at: place).isEmpty } == 1)
    case "items":
      return (node.array ?? []).enumerated().flatMap { problems($1, value, at: "\(place)[\($0)]") }
    case "prefixItems":
      return zip(node.array ?? [], value.array ?? []).enumerated().flatMap { problems($1.0, $1.1, at: "\(place)[\($0)]") }
    case "properties":
      return (node.object ?? []).flatMap { member in
        value[member.key].map { problems(member.node, $0, at: "\(place).\(member.key)") } ?? []
      }
    case "additionalProperties":
      let known = Set((schema["properties"]?.object ?? []).map(\.key))
      return (node.object ?? []).filter { !known.contains($0.key) }.flatMap { member in
        value.bool == false
          ? ["\(place).\(member.key): \(keyword)"] : problems(member.node, value, at: "\(place).\(member.key)")
      }
    case "propertyNames":
      return (node.object ?? []).flatMap { member in
        var name = member.node
        name.value = .string(member.key)
        return problems(name, value, at: "\(place).\(member.key)")
      }
    case "if":
      let branch = problems(node, value, at: place).isEmpty ? schema["then"] : schema["else"]
      return branch.map { problems(node, $0, at: place) } ?? []
    default: return ["\(place): the check does not know \(keyword)"]
    }
  }

  private func definition(_ reference: String) -> JSONDocument.Node {
    reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? $0 }
  }

  private static func number(_ node: JSONDocument.Node) -> Double? { node.double ?? node.integer.map(Double.init) }

  private static func matches(_ node: JSONDocument.Node, type: String) -> Bool {
    switch type {
    case "object": node.object != nil
    case "array": node.array != nil
    case "string": node.string != nil
    case "boolean": node.bool != nil
    case "integer": node.integer != nil
    case "number": number(node) != nil
    case "null": node.scalar == .null
    default: false
    }
  }
}
