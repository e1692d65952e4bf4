package import FunnelDecoding
internal import FunnelSystem

/// A thread-safe pool of block memory, which is reused when its block is decoded.
package final class BlockPool: Sendable {
  // Recently used memory is in the processor's cache. New memory must be mapped and cleared by the kernel.

  /// The size of the memory that the pool provides, in bytes.
  let bufferByteCount: Int

  /// The maximum number of unused memories. It bounds the memory that an idle pool retains.
  private static let keptMax = 16
  private let kept = Guarded<[BlockMemory]>([])

  /// Creates a pool for blocks of about `blockBytesTarget` bytes.
  package init(blockBytesTarget: Int) {
    bufferByteCount = LineSplitter.bufferByteCount(blockBytesTarget: blockBytesTarget)
  }

  /// Acquires memory with undefined contents. The caller must release it with ``give(_:)``.
  func take() -> BlockMemory {
    kept.withLock { $0.popLast() } ?? BlockMemory(byteCount: bufferByteCount)
  }

  /// Releases the memory of a block. Reading the block afterwards is a programming error, which stops the program.
  package func give(_ block: consuming LineBlock) { give(block.memory) }

  /// Releases memory. It must not be used afterwards.
  func give(_ memory: BlockMemory) {
    memory.recycle()
    // Larger memory was allocated for a long line, and is not reused.
    guard memory.byteCount == bufferByteCount else { return }
    kept.withLock { if $0.count < Self.keptMax { $0.append(memory) } }
  }
}
