internal import CSimdJSON

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the tokens of one record with simdjson's first stage, which recognizes strings and checks UTF-8. Not to be shared between threads.
final class TokenIndexer {
  private let indexer: OpaquePointer
  /// The length of the longest record, in bytes.
  let recordBytesMax: Int
  private let escapes: StringUnescaper

  init(recordBytesMax: Int) {
    guard let indexer = funnel_json_indexer_create(recordBytesMax) else {
      fatalError("no memory for the tokens of \(recordBytesMax) bytes")
    }
    self.indexer = indexer
    self.recordBytesMax = recordBytesMax
    escapes = StringUnescaper(indexer, bytesMax: recordBytesMax)
  }

  deinit { funnel_json_indexer_destroy(indexer) }

  /// Returns the positions of the tokens, valid until the next call, or nil if a byte or a string is invalid. The parser's padding must
  /// follow the record.
  func tokens(of record: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt32>? {
    guard record.count <= recordBytesMax, let start = record.baseAddress else { return nil }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let text = start.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, text, record.count, &positions, &count) == FUNNEL_JSON_OK, count > 0 else { return nil }
    return UnsafeBufferPointer(start: positions, count: count)
  }

  /// Returns what takes the escapes out of the record's strings, or nil if it has none.
  func escapes(of record: UnsafeRawBufferPointer) -> StringUnescaper? {
    guard let start = record.baseAddress, memchr(start, Int32(UInt8(ascii: "\\")), record.count) != nil else { return nil }
    escapes.beginRecord()
    return escapes
  }
}

/// Takes the escapes out of the strings of one record. Not to be shared between threads.
final class StringUnescaper {
  private let indexer: OpaquePointer
  private let memory: UnsafeMutablePointer<CChar>
  private var used = 0

  fileprivate init(_ indexer: OpaquePointer, bytesMax: Int) {
    self.indexer = indexer
    // No string becomes longer, so that all of a record have room, and the padding of the last.
    memory = .allocate(capacity: bytesMax + 2 * Int(FUNNEL_JSON_PADDING))
  }

  deinit { memory.deallocate() }

  /// Forgets the strings of the record before.
  fileprivate func beginRecord() { used = 0 }

  /// Replaces the text of a string by one without escapes; returns false if an escape is invalid.
  func unescape(_ field: inout funnel_json_field) -> Bool {
    guard let text = field.text, memchr(text, Int32(UInt8(ascii: "\\")), Int(field.text_length)) != nil else { return true }
    let count = funnel_json_unescape(indexer, text, memory + used)
    guard count >= 0 else { return false }
    field.text = UnsafePointer(memory + used)
    field.text_length = UInt32(truncatingIfNeeded: count)
    used += count
    return true
  }
}
