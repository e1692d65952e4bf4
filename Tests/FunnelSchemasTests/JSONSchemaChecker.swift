@testable import FunnelModel

/// Checks JSON documents against a JSON Schema (draft 2020-12) with the keywords that `Schemas/` uses; any other keyword is an
/// error.
final class JSONSchemaChecker {
  private let root: JSONDocument.Node
  private var patterns: [String: Regex<AnyRegexOutput>] = [:]

  /// A keyword that this checker does not support.
  struct UnknownKeyword: Error { let keyword: String }

  /// The keywords that do not restrict a value.
  private static let annotations: Set<String> = ["$schema", "$id", "$defs", "title", "description", "default", "format"]

  init(_ schema: JSONDocument) { root = schema.root }

  /// Returns whether a document satisfies the schema.
  func accepts(_ document: JSONDocument) throws -> Bool { try accepts(document.root, root) }

  private func accepts(_ value: JSONDocument.Node, _ schema: JSONDocument.Node) throws -> Bool {
    if let flag = schema.bool { return flag }
    for member in schema.object ?? [] {
      guard try holds(member.key, member.node, of: value, in: schema) else { return false }
    }
    return true
  }

  private func holds(
    _ keyword: String, _ argument: JSONDocument.Node, of value: JSONDocument.Node, in schema: JSONDocument.Node
  ) throws -> Bool {
    if Self.annotations.contains(keyword) { return true }
    switch keyword {
    case "$ref":
      let name = (argument.string ?? "").replacing("#/$defs/", with: "")
      guard let target = root["$defs"]?[name] else { throw UnknownKeyword(keyword: argument.string ?? "$ref") }
      return try accepts(value, target)
    case "type": return Self.types(argument).contains { Self.hasType($0, value) }
    case "enum": return (argument.array ?? []).contains { $0.scalar == value.scalar && value.scalar != nil }
    case "const": return argument.scalar == value.scalar && value.scalar != nil
    case "anyOf": return try (argument.array ?? []).contains { try accepts(value, $0) }
    case "oneOf": return try (argument.array ?? []).count { try accepts(value, $0) } == 1
    case "minimum": return value.double.map { $0 >= argument.double ?? 0 } ?? true
    case "maximum": return value.double.map { $0 <= argument.double ?? 0 } ?? true
    case "minLength": return value.string.map { $0.unicodeScalars.count >= argument.integer ?? 0 } ?? true
    case "pattern": return try value.string.map { try matches($0, argument) } ?? true
    case "minItems": return value.array.map { $0.count >= argument.integer ?? 0 } ?? true
    case "uniqueItems": return value.array.map { Set($0.map { Self.text(of: $0) }).count == $0.count } ?? true
    case "items": return try value.array?.allSatisfy { try accepts($0, argument) } ?? true
    case "contains": return try value.array?.contains { try accepts($0, argument) } ?? true
    case "minProperties": return value.object.map { $0.count >= argument.integer ?? 0 } ?? true
    case "required":
      return value.object.map { members in Self.texts(argument).allSatisfy { key in members.contains { $0.key == key } } }
        ?? true
    case "dependentRequired":
      return (argument.object ?? []).allSatisfy { member in
        value[member.key] == nil || Self.texts(member.node).allSatisfy { value[$0] != nil }
      }
    case "propertyNames":
      return try (value.object ?? []).allSatisfy {
        try accepts(JSONDocument.Node(value: .string($0.key), position: $0.position), argument)
      }
    case "properties":
      return try (argument.object ?? []).allSatisfy { member in
        try value[member.key].map { try accepts($0, member.node) } ?? true
      }
    case "patternProperties":
      return try (argument.object ?? []).allSatisfy { pattern in
        try (value.object ?? []).allSatisfy { member in
          try !matches(member.key, pattern.key) || accepts(member.node, pattern.node)
        }
      }
    case "additionalProperties":
      let named = Set((schema["properties"]?.object ?? []).map(\.key))
      let patterns = (schema["patternProperties"]?.object ?? []).map(\.key)
      return try (value.object ?? []).allSatisfy { member in
        if named.contains(member.key) { return true }
        if try patterns.contains(where: { try matches(member.key, $0) }) { return true }
        return try accepts(member.node, argument)
      }
    default: throw UnknownKeyword(keyword: keyword)
    }
  }

  private static func types(_ node: JSONDocument.Node) -> [String] { node.string.map { [$0] } ?? texts(node) }

  private static func texts(_ node: JSONDocument.Node) -> [String] { (node.array ?? []).compactMap(\.string) }

  private static func hasType(_ type: String, _ node: JSONDocument.Node) -> Bool {
    switch (type, node.value) {
    case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array), ("object", .object):
      true
    case ("integer", .number): node.integer != nil
    default: false
    }
  }

  /// Returns a text that two values share only if they are equal, whatever their positions in the document.
  private static func text(of node: JSONDocument.Node) -> String { node.compactText }

  private func matches(_ text: String, _ node: JSONDocument.Node) throws -> Bool { try matches(text, node.string ?? "") }

  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    let regex = try patterns[pattern] ?? Regex(pattern)
    patterns[pattern] = regex
    return try regex.firstMatch(in: text) != nil
  }
}

extension JSONDocument.Node {
  /// The value as JSON without white space.
  var compactText: String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let nodes): "[\(nodes.map(\.compactText).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\(Self.quoted($0.key)):\($0.node.compactText)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
