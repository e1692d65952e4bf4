/// Reads configuration files and collects every problem instead of stopping at the first.
///
/// A reading function reports a problem before it returns `nil`, and the caller continues with a default. The
/// results are valid only if ``problems`` is empty at the end.
final class ConfigurationReader {
  /// The file's name, for messages.
  let source: String
  /// The problems so far, in the order in which they were found.
  private(set) var problems: [ConfigurationProblem] = []

  /// Creates a reader of a file.
  init(source: String) {
    self.source = source
  }

  /// Parses a file, which must contain one JSON value.
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

  /// Reports a problem at a value.
  func report(_ message: String, at value: ConfigurationValue) {
    report(message, at: value.node.position, path: value.path)
  }

  /// Reports a problem at a position.
  func report(_ message: String, at position: JSONDocument.Position, path: String) {
    problems.append(ConfigurationProblem(source: source, position: position, path: path, message: message))
  }

  /// Reports a problem at the key of a member.
  func report(_ message: String, atKeyOf member: ConfigurationMember) {
    report(message, at: member.position, path: member.value.path)
  }

  /// Reports that a value has the wrong JSON type.
  ///
  /// - Parameter needed: The required type, with its article, such as `a string`.
  func reportKind(_ needed: String, at value: ConfigurationValue) {
    report("\(needed) is needed, not \(value.kind)", at: value)
  }

  /// Reads an object with any keys.
  func object(_ value: ConfigurationValue, needed: String = "an object") -> ConfigurationObject? {
    guard let members = value.node.object else {
      reportKind(needed, at: value)
      return nil
    }
    let ofFile = members.map { member in
      ConfigurationMember(
        key: member.key, position: member.position,
        value: ConfigurationValue(node: member.node, path: value.path(ofMember: member.key)))
    }
    return ConfigurationObject(value: value, members: ofFile, input: self)
  }

  /// Reads an object, and reports keys that are not allowed and required keys that are missing.
  func object(
    _ value: ConfigurationValue, allowed: [String], required: [String] = [], needed: String = "an object"
  ) -> ConfigurationObject? {
    guard let object = object(value, needed: needed) else { return nil }
    for member in object.members where !allowed.contains(member.key) {
      let nearest = NearestName.suggestion(for: member.key, in: allowed)
      report(
        "unknown key \(member.key.quoted)\(nearest) allowed: \(allowed.sorted().joined(separator: ", "))",
        atKeyOf: member)
    }
    for key in required where object[key] == nil {
      report("the key \"\(key)\" is missing, add it", at: value)
    }
    return object
  }

  /// Reads the elements of an array.
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
    return elements(of: value)
  }

  /// Reads an array of different elements. An element that occurs twice is reported and omitted, an invalid one is omitted.
  ///
  /// - Parameters:
  ///   - text: Returns the text of an element, for the report.
  ///   - read: Reads an element, or reports a problem and returns `nil`.
  func distinct<Element: Equatable>(
    _ value: ConfigurationValue, needed: String, isEmptyAllowed: Bool, text: (Element) -> String,
    _ read: (ConfigurationValue) -> Element?
  ) -> [Element]? {
    guard let elements = array(value, needed: needed, isEmptyAllowed: isEmptyAllowed) else { return nil }
    var result: [Element] = []
    for location in elements {
      guard let element = read(location) else { continue }
      guard !result.contains(element) else {
        report("\(text(element).quoted) is listed twice, remove one", at: location)
        continue
      }
      result.append(element)
    }
    return result
  }

  /// Returns the elements of an array without reporting problems, or an empty array for any other value.
  func elements(of value: ConfigurationValue) -> [ConfigurationValue] {
    (value.node.array ?? []).enumerated().map { ConfigurationValue(node: $1, path: "\(value.path)[\($0)]") }
  }
}
