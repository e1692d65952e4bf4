internal import CSimdJSON
import FunnelModel

// Invariants of the pointers in this file, on which all accesses rely:
// - At least `FUNNEL_JSON_PADDING` readable bytes follow each line. Its owner guarantees this.
// - Keys and texts of fields point into the line or into the memory of the parser. Neither is moved or overwritten before the next
//   line is parsed.
// - The members of a field are fields: each field is followed by `children` members.

/// Parses single lines of JSON with simdjson, through a C interface.
///
/// The result refers to the line and to the parser's memory. It is valid until the next line is parsed. Not
/// thread-safe: each worker owns one.
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
  /// - Parameter line: The line. ``paddingBytes`` after it must be readable.
  /// - Returns: The fields of the object. A field that is an object is followed by its members.
  func parse(_ line: BorrowedText) throws(LineError) -> ParsedFields {
    var fields: UnsafePointer<funnel_json_field>?
    var count = 0
    let text = line.baseAddress!.assumingMemoryBound(to: CChar.self)
    let status = funnel_json_parse(parser, text, line.count, &fields, &count)
    guard status == FUNNEL_JSON_OK else { throw LineError(status) }
    return ParsedFields(start: fields, count: count)
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

/// The fields of a line in document order. An object is followed by its members.
struct ParsedFields {
  private let start: UnsafePointer<funnel_json_field>?
  /// The number of fields, including the members of objects.
  let count: Int

  /// No fields.
  static var none: ParsedFields { ParsedFields(start: nil, count: 0) }

  fileprivate init(start: UnsafePointer<funnel_json_field>?, count: Int) {
    precondition(count >= 0 && (start != nil || count == 0), "there is memory for the fields")
    self.start = start
    self.count = count
  }

  /// Returns the field at an index.
  @inline(__always)
  subscript(index: Int) -> ParsedField {
    assert(index >= 0 && index < count, "the field does not exist")
    return ParsedField(pointer: start! + index)
  }

  /// Returns the indices of the members of a field. The range is empty for a scalar.
  @inline(__always)
  func members(of index: Int) -> Range<Int> {
    assert(index >= 0 && index < count, "the field does not exist")
    let end = index + 1 + Int(start![index].children)
    assert(end <= count, "the members of a field are fields")
    return index + 1..<end
  }
}

/// A key and its value in a parsed line.
struct ParsedField {
  fileprivate let pointer: UnsafePointer<funnel_json_field>

  var key: BorrowedText { Self.text(pointer.pointee.key, pointer.pointee.key_length) }

  var isObject: Bool { pointer.pointee.kind == FUNNEL_JSON_OBJECT.rawValue }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: UInt32) -> BorrowedText {
    assert(start != nil || count == 0, "a text has an address")
    return BorrowedText(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The value, or `nil` for an object or an array.
  var scalar: Scalar? {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING: .string(Self.text(pointer.pointee.text, pointer.pointee.text_length))
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
