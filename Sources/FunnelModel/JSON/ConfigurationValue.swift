/// A value in a configuration file, with its path.
struct ConfigurationValue {
  let node: JSONDocument.Node
  /// The path from the root, such as `$.steps[2].asks`.
  let path: String

  /// The JSON type of the value, for messages.
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

  /// Returns the path of a member: this path and `.key`, or `["odd key"]` if the key is not a plain word.
  func path(ofMember key: String) -> String {
    let isPlain = key.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIILetter || $0.isASCIIDigit }
    return isPlain && !key.isEmpty ? "\(path).\(key)" : "\(path)[\(key.quoted)]"
  }
}

/// A member of an object in a configuration file.
struct ConfigurationMember {
  let key: String
  /// The position of the key.
  let position: JSONDocument.Position
  let value: ConfigurationValue
}

/// An object in a configuration file, with its members in the order of the file.
///
/// A reading function such as ``name(_:)`` returns `nil` if there is no such key, or if its value is invalid. An invalid
/// value is reported, an absent one is not.
struct ConfigurationObject {
  /// The object itself.
  let value: ConfigurationValue
  let members: [ConfigurationMember]
  /// The reader of the file, which collects problems.
  let input: ConfigurationReader

  /// Returns the value of a member, or `nil` if there is no such key.
  subscript(key: String) -> ConfigurationValue? {
    members.first { $0.key == key }?.value
  }

  /// Reads a name of the form `[a-z][a-z0-9_]{0,99}`.
  func name(_ key: String) -> String? { self[key].flatMap { input.name($0) } }

  /// Reads a non-empty string.
  func text(_ key: String) -> String? { self[key].flatMap { input.text($0) } }

  /// Reads an array of different non-empty strings.
  func texts(_ key: String, isEmptyAllowed: Bool = false) -> [String]? {
    self[key].flatMap { input.texts($0, isEmptyAllowed: isEmptyAllowed) }
  }

  /// Reads an integer with a lower bound.
  func integer(_ key: String, atLeast least: Int64 = 0) -> Int? { self[key].flatMap { input.integer($0, atLeast: least) } }

  /// Reads a finite number, within a range if one is given.
  func number(_ key: String, in range: ClosedRange<Double>? = nil) -> Double? {
    self[key].flatMap { input.number($0, in: range) }
  }

  /// Reads `true` or `false`.
  func bool(_ key: String) -> Bool? { self[key].flatMap { input.bool($0) } }

  /// Reads a positive length of time.
  func timeSpan(_ key: String) -> TimeSpan? { self[key].flatMap { input.timeSpan($0) } }

  /// Reads a string that is a raw value of a type.
  func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _ type: Choice.Type) -> Choice?
  where Choice.RawValue == String {
    self[key].flatMap { input.choice($0, type) }
  }
}
