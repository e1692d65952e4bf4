/// The memory for the bytes of one block.
///
/// Not thread-safe, but it may be passed between threads: a reader fills it, and then a worker decodes the block.
package final class BlockMemory: @unchecked Sendable {
  // Unlike an array, it is never copied by accident, and its memory is not cleared first.

  package private(set) var base: UnsafeMutableRawPointer
  /// The size in bytes.
  package private(set) var byteCount: Int

  /// Allocates memory with undefined contents.
  package init(byteCount: Int) {
    self.byteCount = byteCount
    base = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { base.deallocate() }

  /// Returns a range of the bytes for reading. They must be initialized. The buffer is valid until the memory grows.
  package func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Returns a range of the bytes for writing. The buffer is valid until the memory grows.
  package func space(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Moves a range of bytes to the beginning. The ranges may overlap.
  package func moveToFront(_ range: Range<Int>) { base.copyMemory(from: bytes(range).baseAddress!, byteCount: range.count) }

  /// Enlarges the memory and keeps its first `count` bytes.
  package func grow(to newByteCount: Int, keeping count: Int) {
    precondition(count <= byteCount && byteCount <= newByteCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
    byteCount = newByteCount
  }
}
