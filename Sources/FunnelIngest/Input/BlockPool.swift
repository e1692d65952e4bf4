internal import FunnelSystem

/// Memory of blocks that were decoded, for the blocks to come.
///
/// Memory that was used a moment ago is in the processor's cache; memory that is new the kernel has to find and to clear first.
package final class BlockPool: Sendable {
  /// Bytes of what it hands out; larger pieces, made for long lines, are not kept.
  let bufferByteCount: Int

  private static let keptMax = 16
  private let kept = Guarded<[BlockMemory]>([])

  /// A pool for blocks of about so many bytes.
  package init(blockBytesTarget: Int) {
    bufferByteCount = LineSplitter.bufferByteCount(blockBytesTarget: blockBytesTarget)
  }

  /// Memory with whatever was in it.
  func take() -> BlockMemory {
    kept.withLock { $0.popLast() } ?? BlockMemory(byteCount: bufferByteCount)
  }

  /// Takes back the memory of a block that is done with.
  package func give(_ block: consuming LineBlock) { give(block.memory) }

  /// Takes memory back that nobody else has.
  func give(_ memory: BlockMemory) {
    guard memory.byteCount == bufferByteCount else { return }
    kept.withLock { if $0.count < Self.keptMax { $0.append(memory) } }
  }
}
