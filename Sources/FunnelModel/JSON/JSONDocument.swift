/// A parsed JSON document that remembers where each value stood, for configuration files: their mistakes are reported by line.
///
/// Events never come this way; they are read by simdjson, which is many times faster and knows no lines.
public struct JSONDocument: Hashable, Sendable {
  /// Where a value starts: line and column, both from 1.
  public struct Position: Hashable, Sendable {
    public var line: Int
    public var column: Int
  }

  /// A value and its place.
  public struct Node: Hashable, Sendable {
    public var value: Value
    public var position: Position
  }

  /// A member of an object, in the order of the file.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var position: Position
    public var node: Node
  }

  /// A JSON value; a number keeps its text.
  public indirect enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([Node])
    case object([Member])
  }

  /// What is wrong with a text that is not JSON, and where.
  public struct SyntaxError: Error, Hashable, Sendable {
    public var position: Position
    public var message: String
  }

  /// The document's one value.
  public var root: Node

  /// Parses a whole document; a BOM in front is skipped.
  ///
  /// Duplicate keys, lone surrogates, numbers and literals JSON does not know, and nesting beyond ``Limits/nestingLevelsMax`` are errors.
  public init(parsing bytes: [UInt8]) throws(SyntaxError) {
    var reader = JSONReader(bytes: bytes)
    root = try reader.readDocument()
  }
}

extension JSONDocument.Node {
  /// The value of a member, or nil where this is no object or has no such key.
  public subscript(key: String) -> JSONDocument.Node? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  /// The string this is, or nil.
  public var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The whole number this is (`3`, `3.0`, `3e2`), or nil.
  public var integer: Int64? {
    guard case .number(let text) = value else { return nil }
    return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
  }

  /// The number this is, or nil; also where it is too large for a double.
  public var double: Double? {
    guard case .number(let text) = value, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// The boolean this is, or nil.
  public var bool: Bool? {
    if case .bool(let flag) = value { flag } else { nil }
  }

  /// The elements of the array this is, or nil.
  public var array: [JSONDocument.Node]? {
    if case .array(let nodes) = value { nodes } else { nil }
  }

  /// The members of the object this is, or nil.
  public var object: [JSONDocument.Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  /// The scalar this is, or nil for an array, an object, or a number too large for a double.
  public var scalar: PropertyValue? {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .string(let text): .string(text)
    case .number(let text): Int64(text).map(PropertyValue.integer) ?? double.map(PropertyValue.double)
    case .array, .object: nil
    }
  }
}
