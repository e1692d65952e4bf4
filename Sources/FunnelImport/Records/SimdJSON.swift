internal import CSimdJSON
import FunnelModel

// All calls of simdjson, and the fields that it returns, behind safe views.
//
// Invariants of the pointers in this file, on which all accesses rely:
// - At least `FUNNEL_JSON_PADDING` readable bytes follow each record. Its owner guarantees this, because a span ends where the
//   record ends.
// - Keys and texts of fields point into the record, into the memory of a parser or an unescaper, or into the keys of a
//   `ShapeTrie`. None of them is moved or overwritten before the next record is read.
// - The last descendant of a field is one of the fields: each field is followed by `children` descendants.

/// The fields of one JSON record in document order. An object or array is followed by its descendants.
///
/// Valid until the next record is read.
struct ImportedFields: ~Escapable {
  private let start: UnsafePointer<funnel_json_field>?
  /// The number of fields at all levels.
  let count: Int

  @_lifetime(copy record)
  fileprivate init(_ start: UnsafePointer<funnel_json_field>?, count: Int, of record: Span<UInt8>) {
    precondition(count >= 0 && (start != nil || count == 0), "there is memory for the fields")
    self.start = start
    self.count = count
  }

  /// Returns the field at an index.
  @inline(__always)
  subscript(index: Int) -> ImportedValue {
    @_lifetime(copy self)
    get {
      assert(index >= 0 && index < count, "the field does not exist")
      return _overrideLifetime(ImportedValue(start! + index), copying: self)
    }
  }

  /// Returns the index after a field and all its descendants.
  @inline(__always)
  func end(of index: Int) -> Int {
    assert(index >= 0 && index < count, "the field does not exist")
    let end = index + 1 + Int(start![index].children)
    assert(end <= count, "the descendants of a field are fields")
    return end
  }
}

/// A value of an imported record, with its key. Valid until the next record is read.
struct ImportedValue: ~Escapable {
  private let field: UnsafePointer<funnel_json_field>

  @inline(__always)
  @_lifetime(immortal)
  fileprivate init(_ field: UnsafePointer<funnel_json_field>) { self.field = field }

  /// The type of a value. The raw values are those of `funnel_json_kind`.
  enum Kind: UInt32 {
    case string, integer, unsigned, double, `true`, `false`, null, object, array
  }

  /// The type of the value.
  @inline(__always)
  var kind: Kind {
    assert(field.pointee.kind <= FUNNEL_JSON_ARRAY.rawValue, "simdjson returns a known type")
    return Kind(rawValue: field.pointee.kind) ?? .null
  }

  /// The key, or empty bytes for an element of an array.
  @inline(__always)
  var key: Span<UInt8> {
    @_lifetime(copy self)
    get { _overrideLifetime(Self.bytes(field.pointee.key, field.pointee.key_length), copying: self) }
  }

  /// The text of a string, or `nil` if the value has another type.
  @inline(__always)
  var string: Span<UInt8>? {
    @_lifetime(copy self)
    get {
      guard kind == .string else { return nil }
      return _overrideLifetime(Self.bytes(field.pointee.text, field.pointee.text_length), copying: self)
    }
  }

  /// The number of an integer that fits into an `Int64`. Only valid for such a value.
  @inline(__always)
  var int64: Int64 {
    assert(kind == .integer, "the value is an integer")
    return field.pointee.value.integer
  }

  /// The number of an integer beyond `Int64`. Only valid for such a value.
  var uint64: UInt64 {
    assert(kind == .unsigned, "the value is an integer beyond Int64")
    return field.pointee.value.magnitude
  }

  /// The number of a value with a fraction or an exponent. Only valid for such a value.
  var double: Double {
    assert(kind == .double, "the value is no integer")
    return field.pointee.value.number
  }

  @inline(__always)
  @_lifetime(immortal)
  private static func bytes(_ start: UnsafePointer<CChar>?, _ count: UInt32) -> Span<UInt8> {
    guard let start else { return _overrideLifetime(Span(), copying: ()) }
    return _overrideLifetime(Span<UInt8>(_bytes: RawSpan(_unsafeStart: start, byteCount: Int(count))), copying: ())
  }
}

/// Memory for the fields of a record of known shape. Not thread-safe: each ``ShapeTrie`` owns one.
final class FieldBuffer {
  private let memory: UnsafeMutablePointer<funnel_json_field>
  private let capacity: Int

  /// Creates memory for a number of fields.
  init(capacity: Int) {
    precondition(capacity > 0, "there is room for a field")
    self.capacity = capacity
    memory = .allocate(capacity: capacity)
    memory.initialize(repeating: funnel_json_field(), count: capacity)
  }

  deinit { memory.deallocate() }

  /// Sets the key of a field. An element of an array has no bytes as its key.
  @inline(__always)
  func setKey(_ key: Span<UInt8>, at index: Int) {
    assert(index >= 0 && index < capacity, "there is room for the field")
    memory[index].key = address(of: key)
    memory[index].key_length = UInt32(key.count)
  }

  /// Sets the value of a field that is no number and no string.
  @inline(__always)
  func setKind(_ kind: ImportedValue.Kind, at index: Int) {
    assert(index >= 0 && index < capacity, "there is room for the field")
    memory[index].kind = kind.rawValue
  }

  /// Sets the value of a field to a string.
  @inline(__always)
  func setString(_ text: Span<UInt8>, at index: Int) {
    setKind(.string, at: index)
    memory[index].text = address(of: text)
    memory[index].text_length = UInt32(text.count)
  }

  /// Sets the value of a field to an integer.
  @inline(__always)
  func setInteger(_ integer: Int64, at index: Int) {
    setKind(.integer, at: index)
    memory[index].value.integer = integer
  }

  /// Sets the value of a field to a decimal fraction. Returns `false` if it is too large for a `Double`.
  ///
  /// - Parameter text: The number as JSON writes it.
  @inline(__always)
  func setDouble(_ text: Span<UInt8>, at index: Int) -> Bool {
    precondition(!text.isEmpty, "a number has digits")
    setKind(.double, at: index)
    let start = address(of: text)!
    memory[index].value.number = funnel_json_number(start, start + text.count)
    return memory[index].value.number.isFinite
  }

  /// Returns the first fields. They point into `record` and into the keys with which they were set.
  @_lifetime(copy record)
  func fields(_ count: Int, of record: Span<UInt8>) -> ImportedFields {
    precondition(count <= capacity, "all fields have been set")
    return ImportedFields(memory, count: count, of: record)
  }
}

/// Parses imported JSON records into flat lists of fields with simdjson. Not thread-safe: each worker owns one.
final class ImportedRecordParser {
  private let parser: OpaquePointer

  /// The number of readable bytes that must follow a record.
  static let paddingBytes = Int(FUNNEL_JSON_PADDING)

  /// Creates a parser for records of at most ``Limits/lineBytesMax`` bytes.
  init() {
    guard
      let parser = funnel_json_parser_create(Limits.lineBytesMax, Limits.nestingLevelsMax, Limits.objectKeysMax)
    else { fatalError("no memory for a parser of \(Limits.lineBytesMax) bytes") }
    self.parser = parser
  }

  deinit { funnel_json_parser_destroy(parser) }

  /// Returns the fields of a record, or `nil` if the record is not exactly one JSON object.
  ///
  /// The fields are valid until the next call. At least ``paddingBytes`` readable bytes must follow the record.
  @_lifetime(copy record)
  func parse(_ record: Span<UInt8>) -> ImportedFields? {
    guard let text = address(of: record) else { return nil }
    var fields: UnsafePointer<funnel_json_field>?
    var count = 0
    guard funnel_json_parse_deep(parser, text, record.count, &fields, &count) == FUNNEL_JSON_OK else { return nil }
    return ImportedFields(fields, count: count, of: record)
  }
}

/// Finds the tokens of JSON records with the first stage of simdjson, which recognizes strings and validates UTF-8.
///
/// Not thread-safe: each worker owns one.
final class TokenIndexer {
  private let indexer: OpaquePointer
  /// The maximum length of a record in bytes.
  let recordBytesMax: Int
  private let unescaper: StringUnescaper

  /// Creates an indexer of records of at most `recordBytesMax` bytes.
  init(recordBytesMax: Int) {
    guard let indexer = funnel_json_indexer_create(recordBytesMax) else {
      fatalError("no memory for the tokens of \(recordBytesMax) bytes")
    }
    self.indexer = indexer
    self.recordBytesMax = recordBytesMax
    unescaper = StringUnescaper(indexer, bytesMax: recordBytesMax)
  }

  deinit { funnel_json_indexer_destroy(indexer) }

  /// Returns the offsets of the tokens of a record, or `nil` if the record is too long, empty or not well-formed.
  ///
  /// The offsets ascend and are valid until the next call. At least `FUNNEL_JSON_PADDING` readable bytes must follow the
  /// record.
  @_lifetime(copy record)
  func tokens(of record: Span<UInt8>) -> Span<UInt32>? {
    guard record.count <= recordBytesMax, let text = address(of: record) else { return nil }
    var offsets: UnsafePointer<UInt32>?
    var count = 0
    guard funnel_json_index(indexer, text, record.count, &offsets, &count) == FUNNEL_JSON_OK, count > 0, let offsets else {
      return nil
    }
    assert(Int(offsets[count - 1]) < record.count, "the tokens are in the record")
    return _overrideLifetime(Span(_unsafeStart: offsets, count: count), copying: record)
  }

  /// Returns an unescaper for the strings of a record, or `nil` if the record has no escapes.
  func unescaper(for record: Span<UInt8>) -> StringUnescaper? {
    guard record.firstIndex(of: UInt8(ascii: "\\")) != nil else { return nil }
    unescaper.beginRecord()
    return unescaper
  }
}

/// Decodes the escapes in the strings of one record. Not thread-safe: each indexer owns one.
final class StringUnescaper {
  private let indexer: OpaquePointer
  private let memory: UnsafeMutablePointer<CChar>
  private let capacity: Int
  private var used = 0

  fileprivate init(_ indexer: OpaquePointer, bytesMax: Int) {
    self.indexer = indexer
    // Decoding never lengthens a string, so each string of a record fits once, and the padding of the last one too.
    capacity = bytesMax + 2 * Int(FUNNEL_JSON_PADDING)
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  /// Discards the strings of the previous record.
  fileprivate func beginRecord() { used = 0 }

  /// Returns the decoded text of a string, or `nil` if an escape is invalid or there is no room.
  ///
  /// - Parameter text: The text in the record, which a quote follows.
  @_lifetime(copy text)
  func unescape(_ text: Span<UInt8>) -> Span<UInt8>? {
    guard text.firstIndex(of: UInt8(ascii: "\\")) != nil else { return text }
    // Each alternative of a shape that requires another text decodes the same string again. So there may be no room, and the
    // parser reads the record instead.
    guard used + text.count + Int(FUNNEL_JSON_PADDING) <= capacity else { return nil }
    let decoded = memory + used
    let count = funnel_json_unescape(indexer, address(of: text), decoded)
    guard count >= 0 else { return nil }
    assert(count <= text.count, "decoding does not lengthen a string")
    used += count
    return _overrideLifetime(Span<UInt8>(_bytes: RawSpan(_unsafeStart: decoded, byteCount: count)), copying: text)
  }
}

/// Returns the address of the first byte, or `nil` if there is none. It is valid as long as the bytes.
@inline(__always)
private func address(of bytes: Span<UInt8>) -> UnsafePointer<CChar>? {
  bytes.bytes.withUnsafeBytes { $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
}
