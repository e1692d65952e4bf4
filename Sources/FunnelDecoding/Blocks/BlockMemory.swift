#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The memory of blocks, and views of it.
//
// Invariants of this file, on which the decoder relies:
// - Bytes are written before they are read, and not changed while a block or a view of them exists.
// - A block's bytes are followed by `LineParser.paddingBytes` zeros: the initializer of `LineBlock` writes them.
// - A block is not used after its memory was recycled, which `LineBlock` checks.
// - Ranges are within the memory, which is checked. Offsets of single bytes are within a text or its padding, which debug
//   builds assert.

/// The memory for the bytes of one block.
///
/// Not thread-safe, but it may be passed between threads: a reader fills it, and then a worker decodes the block.
package final class BlockMemory: @unchecked Sendable {
  // Unlike an array, it is never copied by accident, and its memory is not cleared first.

  private var base: UnsafeMutableRawPointer
  /// The size in bytes.
  package private(set) var byteCount: Int
  /// The number of times that the memory was recycled. A block is valid if it was created since the last time.
  private(set) var recycleCount = 0

  /// Allocates memory with undefined contents.
  package init(byteCount: Int) {
    precondition(byteCount >= 0, "a size is not negative")
    self.byteCount = byteCount
    base = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { base.deallocate() }

  /// Returns a range of the bytes for reading. They must be initialized. The buffer is valid until the memory grows.
  package func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(space(range)) }

  /// Returns a range of the bytes for writing. The buffer is valid until the memory grows.
  package func space(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "a range is within the memory")
    return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Moves a range of bytes to the beginning. The ranges may overlap.
  package func moveToFront(_ range: Range<Int>) { space(0..<range.count).copyMemory(from: bytes(range)) }

  /// Enlarges the memory and keeps its first `count` bytes.
  package func grow(to newByteCount: Int, keeping count: Int) {
    precondition(count <= byteCount && byteCount <= newByteCount, "the memory grows and contains the bytes to keep")
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
    byteCount = newByteCount
  }

  /// Invalidates all blocks of the memory, so that it can be used for another one.
  package func recycle() { recycleCount += 1 }
}

/// A part of a block's text, followed by at least ``LineParser/paddingBytes`` readable bytes.
struct BlockText: BitwiseCopyable {
  private let start: UnsafeRawPointer
  /// The length in bytes.
  let count: Int

  /// A text without bytes. It has no padding, so it must not be parsed.
  static var empty: BlockText { BlockText(start: UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped, count: 0) }

  @inline(__always)
  private init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  /// Creates a view of bytes except the last ``LineParser/paddingBytes`` ones, which are the padding.
  init(withPadding bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= LineParser.paddingBytes, "the bytes contain the padding")
    self.init(start: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count - LineParser.paddingBytes)
  }

  /// The bytes without the padding, for other modules.
  @inline(__always)
  var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// The bytes without the padding.
  @inline(__always)
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeBytes: raw), borrowing: self) }
  }

  /// Whether there are no bytes.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Whether the text consists of white space.
  var isBlank: Bool { (0..<count).allSatisfy { self[$0].isJSONWhitespace } }

  /// Returns the text without its last byte if that equals another one.
  func trimmingSuffix(_ byte: UInt8) -> BlockText {
    count > 0 && self[count - 1] == byte ? self[0..<count - 1] : self
  }

  /// Returns the byte at an offset, possibly one of the padding.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count + LineParser.paddingBytes, "an offset is within the text or its padding")
    return start.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// Returns a part of the text.
  @inline(__always)
  subscript(range: Range<Int>) -> BlockText {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a text is within it")
    return BlockText(start: start + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns a string of the text.
  @inline(__always)
  func text(at offset: Int, count: Int) -> PaddedText {
    assert(offset >= 0 && count >= 0 && offset + count <= self.count, "a string is within the text")
    return PaddedText(UnsafeRawBufferPointer(start: start + offset, count: count))
  }

  /// Returns the little-endian word at an offset.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(
      offset >= 0 && offset + MemoryLayout<UInt64>.size <= count + LineParser.paddingBytes, "a word is within the text")
    return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the sixteen bytes at an offset.
  @inline(__always)
  func vector(at offset: Int) -> SIMD16<UInt8> {
    assert(
      offset >= 0 && offset + MemoryLayout<SIMD16<UInt8>>.size <= count + LineParser.paddingBytes,
      "a vector is within the text")
    return start.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Returns the offset of the first byte in a range that equals another, or `nil` if there is none.
  @inline(__always)
  func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a range is within the text")
    guard let found = memchr(start + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}

extension LineBlock {
  /// Calls a closure with the bytes, followed by ``LineParser/paddingBytes`` zeros.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withText { (text) throws(Failure) in try body(text.raw) }
  }

  /// Calls a closure with the text.
  func withText<Result, Failure: Error>(_ body: (BlockText) throws(Failure) -> Result) throws(Failure) -> Result {
    precondition(isValid, "the memory of a block was not recycled")
    defer { withExtendedLifetime(memory) {} }
    return try body(BlockText(withPadding: memory.bytes(0..<byteCount + LineParser.paddingBytes)))
  }
}
