// Invariants of the memory in this file, on which all accesses rely:
// - The bytes of a `BorrowedText` stay in place and unchanged while the text is used. Those of an event belong to the line, to the
//   memory of a parser or a cache, or to a `PaddedCopy`. They are valid until the next line is decoded.
// - At least seven readable bytes follow the texts of an event, because the fast path compares texts in words of eight bytes.

/// The bytes of a text in memory that another object owns. Valid as long as that memory.
package struct BorrowedText: BitwiseCopyable {
  // A span can't be stored in an event that is reused, so this refers to the memory without keeping it alive.

  /// The bytes for callers that load words from them.
  package let raw: UnsafeRawBufferPointer

  /// An empty text.
  @inlinable package static var empty: BorrowedText { BorrowedText(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// Refers to bytes that outlive the text.
  @inlinable
  package init(_ raw: UnsafeRawBufferPointer) { self.raw = raw }

  /// The address of the first byte, or `nil` if there is none.
  @inlinable package var baseAddress: UnsafeRawPointer? { raw.baseAddress }

  /// The bytes.
  package var span: Span<UInt8> {
    @inline(__always)
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeBytes: raw), borrowing: self) }
  }

  /// The bytes as a string. Invalid UTF-8 is replaced.
  package var text: String { String(decoding: raw, as: UTF8.self) }

  /// Returns the bytes of a range.
  func part(_ range: Range<Int>) -> BorrowedText {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a text is within the text")
    return BorrowedText(UnsafeRawBufferPointer(rebasing: raw[range]))
  }

  /// Whether these bytes precede others in lexicographic order.
  package func precedes(_ other: BorrowedText) -> Bool { raw.precedes(other.raw) }
}

extension BorrowedText: RandomAccessCollection {
  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { raw.count }
  // The default of a collection computes it by calls that are not inlined into other modules.
  @inlinable package var count: Int { raw.count }

  @inlinable
  package subscript(index: Int) -> UInt8 {
    assert(index >= 0 && index < raw.count, "the byte is in the text")
    return raw[index]
  }

  @inlinable
  package func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try raw.withContiguousStorageIfAvailable(body)
  }
}
