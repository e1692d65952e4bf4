/// A value of a configuration file and the way to it.
struct ConfigurationValue {
  let node: JSONDocument.Node
  /// `$.steps[2].asks`.
  let path: String

  /// What people call this kind of value.
  var kind: String {
    switch node.value {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The path of a member: `.key`, or `["odd key"]` where the key is no plain word.
  func path(ofMember key: String) -> String {
    let isPlain = key.unicodeScalars.allSatisfy {
      $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
    }
    return isPlain && !key.isEmpty ? "\(path).\(key)" : "\(path)[\(key.quoted)]"
  }
}

/// The members of an object of a configuration file, in their order.
struct ConfigurationObject {
  let value: ConfigurationValue
  let members: [(key: String, position: JSONDocument.Position, value: ConfigurationValue)]

  subscript(key: String) -> ConfigurationValue? {
    members.first { $0.key == key }?.value
  }
}

/// Reads configuration files and collects every mistake instead of stopping at the first.
///
/// The reading functions return nil after they have reported a problem, so that a caller goes on with a default: what was read is
/// used only where ``problems`` stays empty.
final class ConfigurationReader {
  let source: String
  private(set) var problems: [ConfigurationProblem] = []

  init(source: String) {
    self.source = source
  }

  /// Parses a file, which must hold one JSON value.
  func parse(_ bytes: [UInt8]) -> ConfigurationValue? {
    guard bytes.count <= Limits.configurationBytesMax else {
      report(
        "the file has \(bytes.count) bytes, at most \(Limits.configurationBytesMax) are allowed",
        at: JSONDocument.Position(line: 1, column: 1), path: "$")
      return nil
    }
    do throws(JSONDocument.SyntaxError) {
      return ConfigurationValue(node: try JSONDocument(parsing: bytes).root, path: "$")
    } catch {
      report("not JSON: \(error.message)", at: error.position, path: "$")
      return nil
    }
  }

  func report(_ message: String, at value: ConfigurationValue) {
    report(message, at: value.node.position, path: value.path)
  }

  func report(_ message: String, at position: JSONDocument.Position, path: String) {
    problems.append(ConfigurationProblem(source: source, position: position, path: path, message: message))
  }

  func reportKind(_ needed: String, at value: ConfigurationValue) {
    report("\(needed) is needed, not \(value.kind)", at: value)
  }

  /// An object with any keys.
  func object(_ value: ConfigurationValue, needed: String = "an object") -> ConfigurationObject? {
    guard let members = value.node.object else {
      reportKind(needed, at: value)
      return nil
    }
    return ConfigurationObject(
      value: value,
      members: members.map { member in
        (member.key, member.position, ConfigurationValue(node: member.node, path: value.path(ofMember: member.key)))
      })
  }

  /// An object with no other keys than these.
  func object(
    _ value: ConfigurationValue, allowed: [String], required: [String] = [], needed: String = "an object"
  ) -> ConfigurationObject? {
    guard let object = object(value, needed: needed) else { return nil }
    for member in object.members where !allowed.contains(member.key) {
      let nearest = NearestName.find(member.key, in: allowed).map { ", did you mean \"\($0)\"?" } ?? ","
      report(
        "unknown key \(member.key.quoted)\(nearest) allowed: \(allowed.sorted().joined(separator: ", "))",
        at: member.position, path: member.value.path)
    }
    for key in required where object[key] == nil {
      report("the key \"\(key)\" is missing, add it", at: value)
    }
    return object
  }

  /// The elements of an array.
  func array(
    _ value: ConfigurationValue, needed: String = "an array", isEmptyAllowed: Bool = true
  ) -> [ConfigurationValue]? {
    guard let nodes = value.node.array else {
      reportKind(needed, at: value)
      return nil
    }
    guard isEmptyAllowed || !nodes.isEmpty else {
      report("the array is empty, at least one element is needed", at: value)
      return nil
    }
    return nodes.enumerated().map { ConfigurationValue(node: $1, path: "\(value.path)[\($0)]") }
  }

  /// The elements of an array that has been read already; none if the value is no array.
  func elements(of value: ConfigurationValue) -> [ConfigurationValue] {
    (value.node.array ?? []).enumerated().map { ConfigurationValue(node: $1, path: "\(value.path)[\($0)]") }
  }
}
