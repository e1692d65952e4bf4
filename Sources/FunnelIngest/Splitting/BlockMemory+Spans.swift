import FunnelDecoding
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Safe views of the memory of a block. Besides `CSVParser.swift`, only this file of the splitters uses addresses.
//
// Invariants, on which all accesses rely:
// - Each range is in the memory, which `BlockMemory` checks, and its bytes have been written before they are read.
// - A splitter owns its memory until it is closed or a block takes the memory over. It uses no view after it grows the memory.
// - One thread uses all views of a memory, so a write through one is visible to the next read through another.

/// Appends the next bytes of a stream to an output, or none at the end of the stream.
typealias BlockFiller = (inout OutputSpan<UInt8>) throws(FunnelError) -> Void

extension BlockMemory {
  /// Returns a view of a range of the bytes.
  @_lifetime(borrow self)
  func span(_ range: Range<Int>) -> Span<UInt8> {
    _overrideLifetime(Span(_unsafeBytes: bytes(range)), borrowing: self)
  }

  /// Returns a view of a range of the bytes for changing them.
  @_lifetime(borrow self)
  func mutableSpan(_ range: Range<Int>) -> MutableSpan<UInt8> {
    _overrideLifetime(MutableSpan(_unsafeBytes: space(range)), borrowing: self)
  }

  /// Reads the next bytes of a stream into a range. Returns their count, or 0 at the end of the stream.
  func fill(_ range: Range<Int>, by read: BlockFiller) throws(FunnelError) -> Int {
    precondition(!range.isEmpty, "a read has room for a byte")
    let memory = space(range).bindMemory(to: UInt8.self)
    var output = OutputSpan(buffer: memory, initializedCount: 0)
    try read(&output)
    return output.finalize(for: memory)
  }

  /// Copies bytes to an offset.
  func copy(_ source: Span<UInt8>, to offset: Int) {
    let target = space(offset..<offset + source.count)
    source.bytes.withUnsafeBytes { target.copyMemory(from: $0) }
  }

  /// Returns the index of the first byte in a range that equals another, or `nil` if there is none.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    let bytes = bytes(range)
    guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
    return range.lowerBound + (found - UnsafeMutableRawPointer(mutating: start))
  }

  /// Returns the index of the last line feed in the first bytes, or `nil` if there is none.
  func lastLineFeed(inFirst count: Int) -> Int? { span(0..<count).lastLineFeed(in: 0..<count) }

  /// Returns the end index of the first lines in a range, including the last line feed. There must be as many lines.
  func end(ofLines count: Int, in range: Range<Int>) -> Int {
    var end = range.lowerBound
    for _ in 0..<count { end = (firstIndex(of: Byte.lineFeed, in: end..<range.upperBound) ?? range.upperBound - 1) + 1 }
    return end
  }
}

extension LineBlock {
  /// Creates a block with a copy of bytes.
  init(place: Place, content: Content, copying bytes: Span<UInt8>) {
    let memory = BlockMemory(byteCount: bytes.count + LineParser.paddingBytes)
    memory.copy(bytes, to: 0)
    self.init(place: place, content: content, memory: memory, byteCount: bytes.count)
  }
}

extension [UInt8] {
  /// Appends a JSON string, including its quotes. The bytes must be valid UTF-8.
  mutating func appendJSONString(copying text: Span<UInt8>) {
    text.bytes.withUnsafeBytes { appendJSONString(utf8: $0) }
  }
}

extension Span<UInt8> {
  /// The bytes of a byte order mark of UTF-8.
  private static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }
  /// The length of a byte order mark.
  static var byteOrderMarkBytes: Int { 3 }

  /// A copy of the bytes.
  var copy: [UInt8] { withUnsafeBufferPointer { Array($0) } }

  /// Whether the bytes begin with a byte order mark.
  var hasByteOrderMark: Bool { extracting(first: Self.byteOrderMarkBytes).copy == Self.byteOrderMark }

  /// Whether the bytes are valid UTF-8.
  var isUTF8: Bool { allSatisfy { $0 < 0x80 } || String(validUTF8: copy) != nil }

  /// Returns whether all bytes satisfy a predicate.
  func allSatisfy(_ isAccepted: (UInt8) -> Bool) -> Bool {
    for index in indices where !isAccepted(self[unchecked: index]) { return false }
    return true
  }

  /// Returns the index of the last byte that satisfies a predicate, or `nil` if none does.
  func lastIndex(where isWanted: (UInt8) -> Bool) -> Int? {
    for index in indices.reversed() where isWanted(self[unchecked: index]) { return index }
    return nil
  }

  /// The number of line feeds.
  var lineFeedCount: Int {
    withUnsafeBytes { bytes in
      var total = 0
      var remainder = bytes
      while let first = remainder.baseAddress, let found = memchr(first, CInt(UInt8(ascii: "\n")), remainder.count) {
        total += 1
        remainder = UnsafeRawBufferPointer(rebasing: remainder[(first.distance(to: found) + 1)...])
      }
      return total
    }
  }
}
