/// A parsed JSON document that records the line and column of each value.
///
/// It is used for configuration files, whose problems are reported by line. Events are parsed by simdjson,
/// which is many times faster but does not track lines.
package struct JSONDocument: Hashable, Sendable {
  /// The start of a value: line and column, both from 1.
  package struct Position: Hashable, Sendable {
    package var line: Int
    package var column: Int
  }

  /// A value and its position.
  package struct Node: Hashable, Sendable {
    package var value: Value
    package var position: Position
  }

  /// A member of an object.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var position: Position
    package var node: Node
  }

  /// A JSON value. A number keeps its text, and an object the order of its members.
  package indirect enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([Node])
    case object([Member])
  }

  /// The first problem in a text that is not JSON, and its position.
  package struct SyntaxError: Error, Hashable, Sendable {
    package var position: Position
    package var message: String
  }

  /// The document's single top-level value.
  package var root: Node

  /// Parses a whole document. A byte order mark at the start is skipped.
  ///
  /// - Throws: ``SyntaxError`` if the bytes are not valid JSON, or if they contain a duplicate key, a lone
  ///   surrogate or nesting deeper than ``Limits/nestingLevelsMax``.
  package init(parsing bytes: [UInt8]) throws(SyntaxError) {
    var reader = JSONParser(bytes: bytes)
    root = try reader.readDocument()
  }
}

extension JSONDocument.Node {
  /// Returns the value of a member, or `nil` if this is not an object or has no such key.
  package subscript(key: String) -> JSONDocument.Node? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  /// The value as a string, or `nil` if it is not one.
  package var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The value as an integer (`3`, `3.0`, `3e2`), or `nil` if it is not one.
  package var integer: Int64? {
    guard case .number(let text) = value else { return nil }
    return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
  }

  /// The value as a number, or `nil` if it is not one or is too large for a double.
  package var double: Double? {
    guard case .number(let text) = value, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// The value as a boolean, or `nil` if it is not one.
  package var bool: Bool? {
    if case .bool(let flag) = value { flag } else { nil }
  }

  /// The elements of the array, or `nil` if the value is not one.
  package var array: [JSONDocument.Node]? {
    if case .array(let nodes) = value { nodes } else { nil }
  }

  /// The members of the object, or `nil` if the value is not one.
  package var object: [JSONDocument.Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The value as a scalar, or `nil` if it is an array, an object, or a number too large for a double.
  package var scalar: PropertyValue? {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .string(let text): .string(text)
    case .number(let text): Int64(text).map(PropertyValue.integer) ?? double.map(PropertyValue.double)
    case .array, .object: nil
    }
  }
}
