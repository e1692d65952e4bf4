internal import CSimdJSON
package import FunnelModel

/// Parses single lines of JSON with simdjson, through a C interface.
///
/// The result consists of spans of the line and of the parser's memory. It is valid until the next line is
/// parsed. Not thread-safe: each worker owns one.
package final class LineParser {
  /// The number of bytes after a text that must be readable: vector instructions read beyond its end.
  package static let paddingBytes = Int(FUNNEL_JSON_PADDING)

  private let parser: OpaquePointer

  /// The length of the longest line that can be parsed, in bytes.
  let lineBytesMax: Int

  /// Allocates a parser.
  init(lineBytesMax: Int = Limits.lineBytesMax) {
    guard let parser = funnel_json_parser_create(lineBytesMax, Limits.nestingLevelsMax, Limits.objectKeysMax) else {
      fatalError("no memory for a parser of \(lineBytesMax) bytes")
    }
    self.parser = parser
    self.lineBytesMax = lineBytesMax
  }

  deinit {
    funnel_json_parser_destroy(parser)
  }

  /// Parses a line that consists of one object.
  ///
  /// - Parameter line: The line, which must not be empty. ``paddingBytes`` after it must be readable.
  /// - Returns: The fields of the object. A field that is an object is followed by its members.
  func parse(_ line: UnsafeRawBufferPointer) throws(LineError) -> ParsedFields {
    var fields: UnsafePointer<funnel_json_field>?
    var count = 0
    let text = line.baseAddress!.assumingMemoryBound(to: CChar.self)
    let status = funnel_json_parse(parser, text, line.count, &fields, &count)
    guard status == FUNNEL_JSON_OK else { throw LineError(status) }
    return ParsedFields(fields: UnsafeBufferPointer(start: fields, count: count))
  }
}

/// The reason why a line is not a valid JSON object.
enum LineError: Error {
  case invalid
  case invalidUTF8
  case notAnObject
  case duplicateKey
  case loneSurrogate
  case tooDeep
  case tooManyKeys
  case numberOutOfRange

  init(_ status: funnel_json_status) {
    switch status {
    case FUNNEL_JSON_INVALID_UTF8: self = .invalidUTF8
    case FUNNEL_JSON_NOT_AN_OBJECT: self = .notAnObject
    case FUNNEL_JSON_DUPLICATE_KEY: self = .duplicateKey
    case FUNNEL_JSON_LONE_SURROGATE: self = .loneSurrogate
    case FUNNEL_JSON_TOO_DEEP: self = .tooDeep
    case FUNNEL_JSON_TOO_MANY_KEYS: self = .tooManyKeys
    case FUNNEL_JSON_NUMBER_OUT_OF_RANGE: self = .numberOutOfRange
    default: self = .invalid
    }
  }
}

/// The fields of a line, in their order.
struct ParsedFields {
  fileprivate let fields: UnsafeBufferPointer<funnel_json_field>

  /// The number of fields, including the members of objects.
  var count: Int { fields.count }

  /// No fields.
  static var none: ParsedFields { ParsedFields(fields: UnsafeBufferPointer(start: nil, count: 0)) }

  @inline(__always)
  subscript(index: Int) -> ParsedField { ParsedField(pointer: fields.baseAddress! + index) }

  /// Returns the key of a field.
  @inline(__always)
  func key(of index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: fields[index].key, count: Int(fields[index].key_length))
  }

  /// Returns the number of members of a field that is an object. They follow it. It is 0 for a scalar.
  @inline(__always)
  func childCount(of index: Int) -> Int { Int(fields[index].children) }
}

/// A key and its value in a parsed line.
struct ParsedField {
  fileprivate let pointer: UnsafePointer<funnel_json_field>

  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer.pointee.key, count: Int(pointer.pointee.key_length))
  }

  var isObject: Bool { pointer.pointee.kind == FUNNEL_JSON_OBJECT.rawValue }

  /// The value, or `nil` for an object or an array.
  var scalar: Scalar? {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING:
      .string(UnsafeRawBufferPointer(start: pointer.pointee.text, count: Int(pointer.pointee.text_length)))
    case FUNNEL_JSON_INTEGER: .integer(pointer.pointee.value.integer)
    case FUNNEL_JSON_UNSIGNED: .double(Double(pointer.pointee.value.magnitude))
    case FUNNEL_JSON_DOUBLE: Scalar(number: pointer.pointee.value.number)
    case FUNNEL_JSON_TRUE: .bool(true)
    case FUNNEL_JSON_FALSE: .bool(false)
    case FUNNEL_JSON_NULL: .null
    default: nil
    }
  }

  /// The type of the value with its article, for messages.
  var kindName: String {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING: "a string"
    case FUNNEL_JSON_INTEGER, FUNNEL_JSON_UNSIGNED, FUNNEL_JSON_DOUBLE: "a number"
    case FUNNEL_JSON_TRUE, FUNNEL_JSON_FALSE: "a boolean"
    case FUNNEL_JSON_NULL: "null"
    case FUNNEL_JSON_OBJECT: "an object"
    default: "an array"
    }
  }
}

/// A JSON scalar. A string is a span of the parsed line or the parser's memory.
package enum Scalar: BitwiseCopyable {
  case string(UnsafeRawBufferPointer)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null

  @inline(__always)
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Creates an integer if the number is whole and at most 2^53, such as `2.0`, and a double otherwise.
  init(number: Double) {
    // Up to 2^53, a whole double is written without a fraction, so it is an integer when the record is parsed again.
    if let whole = Int64(exactly: number), abs(number) <= Self.exactDoubleMax {
      self = .integer(whole)
    } else {
      self = .double(number)
    }
  }

  /// 2^53: every whole number up to it has an exact representation as a double.
  private static let exactDoubleMax: Double = 9_007_199_254_740_992

  /// The value with a copy of its string.
  package var propertyValue: PropertyValue {
    switch self {
    case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    case .null: .null
    }
  }

  /// Combines the value and its type into a hash.
  package func combine(into hasher: inout SipHasher) {
    switch self {
    case .string(let text):
      hasher.combine(0)
      hasher.combine(text)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(UInt64(bitPattern: value))
    case .double(let value):
      hasher.combine(2)
      hasher.combine(value.bitPattern)
    case .bool(let value): hasher.combine(value ? 3 : 4)
    case .null: hasher.combine(5)
    }
  }
}
