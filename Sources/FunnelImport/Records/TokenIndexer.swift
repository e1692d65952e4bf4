internal import CSimdJSON

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the tokens of JSON records with the first stage of simdjson, which recognizes strings and validates UTF-8.
///
/// Not thread-safe: each worker owns one.
final class TokenIndexer {
  private let indexer: OpaquePointer
  /// The maximum length of a record in bytes.
  let recordBytesMax: Int
  private let escapes: StringUnescaper

  /// Creates an indexer of records of at most `recordBytesMax` bytes.
  init(recordBytesMax: Int) {
    guard let indexer = funnel_json_indexer_create(recordBytesMax) else {
      fatalError("no memory for the tokens of \(recordBytesMax) bytes")
    }
    self.indexer = indexer
    self.recordBytesMax = recordBytesMax
    escapes = StringUnescaper(indexer, bytesMax: recordBytesMax)
  }

  deinit { funnel_json_indexer_destroy(indexer) }

  /// Returns the offsets of the tokens of a record, or `nil` if the record is too long, empty or not well-formed.
  ///
  /// The offsets are valid until the next call. At least `FUNNEL_JSON_PADDING` readable bytes must follow the record.
  func tokens(of record: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt32>? {
    guard record.count <= recordBytesMax, let start = record.baseAddress else { return nil }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let text = start.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, text, record.count, &positions, &count) == FUNNEL_JSON_OK, count > 0 else { return nil }
    return UnsafeBufferPointer(start: positions, count: count)
  }

  /// Returns an unescaper for the strings of a record, or `nil` if the record has no escapes.
  func escapes(of record: UnsafeRawBufferPointer) -> StringUnescaper? {
    guard let start = record.baseAddress, memchr(start, Int32(UInt8(ascii: "\\")), record.count) != nil else { return nil }
    escapes.beginRecord()
    return escapes
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

  /// Replaces the text of a string field by its decoded text. Returns `false` if an escape is invalid or there is no room.
  func unescape(_ field: inout funnel_json_field) -> Bool {
    guard let text = field.text, memchr(text, Int32(UInt8(ascii: "\\")), Int(field.text_length)) != nil else { return true }
    // Each alternative of a shape decodes the same string again. So there may be no room, and the parser reads the record instead.
    guard used + Int(field.text_length) + Int(FUNNEL_JSON_PADDING) <= capacity else { return false }
    let count = funnel_json_unescape(indexer, text, memory + used)
    guard count >= 0 else { return false }
    field.text = UnsafePointer(memory + used)
    field.text_length = UInt32(truncatingIfNeeded: count)
    used += count
    return true
  }
}
