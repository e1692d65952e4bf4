internal import FunnelDecoding
internal import FunnelSystem

/// Comparisons and conversions of bytes.
extension BorrowedBytes {
  /// Creates a view of a text of an event, which is valid until the next line is decoded.
  @inline(__always)
  init(_ text: BorrowedText) { self.init(text.raw) }

  /// The bytes decoded as UTF-8.
  package var string: String { String(decoding: buffer, as: UTF8.self) }

  /// The CRC-32 of the bytes.
  var crc32: UInt32 { withSpan { Checksum.crc32($0) } }

  /// Returns whether the bytes equal those of a sequence.
  func elementsEqual(_ other: some Sequence<UInt8>) -> Bool { buffer.elementsEqual(other) }

  /// Returns whether these bytes precede others lexicographically, or `nil` if they are equal.
  package func order(before other: BorrowedBytes) -> Bool? { raw.order(before: other.raw) }

  /// Returns whether these bytes precede others lexicographically.
  package func precedes(_ other: BorrowedBytes) -> Bool { order(before: other) ?? false }

  /// Returns whether these bytes equal others.
  @inline(__always)
  func isEqual(to other: BorrowedBytes) -> Bool { count == other.count && ByteHash.areEqual(self, other) }
}

/// A range of memory: equal for two views of the same bytes while their owner lives.
struct MemoryLocation: Hashable {
  let address: UInt
  let byteCount: Int
}
