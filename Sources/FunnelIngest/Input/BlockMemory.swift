/// Memory for the bytes of one block. One thread at a time has it: whoever fills it, then whoever reads the block.
///
/// A class instead of an array: it can't be copied behind anybody's back, and nobody has to clear it first.
final class BlockMemory: @unchecked Sendable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
    base = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { base.deallocate() }

  /// The first bytes, which were written.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// A part of it, to be written.
  func space(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Moves bytes to the beginning.
  func moveToFront(_ range: Range<Int>) { base.copyMemory(from: bytes(range).baseAddress!, byteCount: range.count) }

  /// Becomes larger; the first bytes stay what they are.
  func grow(to newByteCount: Int, keeping count: Int) {
    precondition(count <= byteCount && byteCount <= newByteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    (base, byteCount) = (larger, newByteCount)
  }
}
