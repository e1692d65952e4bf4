internal import FunnelSystem

/// A pool of the memory of decoded blocks, for the blocks to come.
///
/// Recently used memory is in the processor's cache; new memory has to be found and cleared by the kernel first.
package final class BlockPool: Sendable {
  /// The size of the buffers it provides, in bytes; larger ones, made for long lines, are not kept.
  let bufferByteCount: Int

  private static let keptMax = 16
  private let kept = Guarded<[BlockMemory]>([])

  /// Creates a pool for blocks of about `blockBytesTarget` bytes.
  package init(blockBytesTarget: Int) {
    bufferByteCount = LineSplitter.bufferByteCount(blockBytesTarget: blockBytesTarget)
  }

  /// Returns memory with undefined contents.
  func take() -> BlockMemory {
    kept.withLock { $0.popLast() } ?? BlockMemory(byteCount: bufferByteCount)
  }

  /// Takes back the memory of a block that is no longer used.
  package func give(_ block: consuming LineBlock) { give(block.memory) }

  /// Takes back memory that is used nowhere else.
  func give(_ memory: BlockMemory) {
    guard memory.byteCount == bufferByteCount else { return }
    kept.withLock { if $0.count < Self.keptMax { $0.append(memory) } }
  }
}
