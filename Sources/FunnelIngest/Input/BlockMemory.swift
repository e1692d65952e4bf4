/// The memory for the bytes of one block. One thread at a time uses it: first the one that fills it, then the one that reads the block.
///
/// A class instead of an array: it can't be copied inadvertently, and its memory need not be cleared first.
final class BlockMemory: @unchecked Sendable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
    base = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { base.deallocate() }

  /// Returns a range of the bytes, which must have been written.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Returns a range of the bytes for writing.
  func space(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Moves bytes to the beginning.
  func moveToFront(_ range: Range<Int>) { base.copyMemory(from: bytes(range).baseAddress!, byteCount: range.count) }

  /// Grows the memory; the first `count` bytes are kept.
  func grow(to newByteCount: Int, keeping count: Int) {
    precondition(count <= byteCount && byteCount <= newByteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    (base, byteCount) = (larger, newByteCount)
  }
}
