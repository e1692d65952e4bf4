internal import CSimdJSON
package import FunnelModel

/// Parses single lines of JSON into the spans of their fields, with simdjson behind a C shim.
///
/// The spans of a parsed line are valid until the next line is parsed. Not to be shared between threads.
final class LineParser {
  /// The number of bytes after a line that must be readable.
  static let paddingBytes = Int(FUNNEL_JSON_PADDING)

  private let parser: OpaquePointer

  /// The length of the longest line it parses, in bytes.
  let lineBytesMax: Int

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

  /// Returns the fields of the single object in a line: those of the top level, each object followed by its members.
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

/// The fields of a line, in their order there.
struct ParsedFields {
  fileprivate let fields: UnsafeBufferPointer<funnel_json_field>

  var count: Int { fields.count }

  /// No fields.
  static var none: ParsedFields { ParsedFields(fields: UnsafeBufferPointer(start: nil, count: 0)) }

  @inline(__always)
  subscript(index: Int) -> ParsedField { ParsedField(pointer: fields.baseAddress! + index) }

  @inline(__always)
  func key(of index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: fields[index].key, count: Int(fields[index].key_length))
  }

  /// Returns the number of following fields that are members of this one.
  @inline(__always)
  func childCount(of index: Int) -> Int { Int(fields[index].children) }
}

/// A key and its value.
struct ParsedField {
  fileprivate let pointer: UnsafePointer<funnel_json_field>

  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer.pointee.key, count: Int(pointer.pointee.key_length))
  }

  var isObject: Bool { pointer.pointee.kind == FUNNEL_JSON_OBJECT.rawValue }

  /// The value, or nil for an object or an array.
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

  /// The kind of the value, in words.
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

/// A JSON scalar. A string is still a span of the parser's memory.
package enum Scalar: BitwiseCopyable {
  case string(UnsafeRawBufferPointer)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null

  @inline(__always)
  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Creates an integer from a number that is whole and exact, however it was written: `2.0` is `2`.
  init(number: Double) {
    // Up to 2^53, a whole double is written as a whole number, so it is an integer when it is read again.
    if let whole = Int64(exactly: number), abs(number) <= 9_007_199_254_740_992 {
      self = .integer(whole)
    } else {
      self = .double(number)
    }
  }

  /// The value with an owned copy of its string.
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
