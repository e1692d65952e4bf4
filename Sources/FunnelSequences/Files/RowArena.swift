import FunnelIndex
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Invariants of this file:
//
// - A region stays mapped until its arena is released, and each block keeps its arena alive.
// - The bytes of a block belong to one block at a time: a block returns them to the arena when it is released. They are
//   not initialized, but a mapped page consists of zeros, so that no read is undefined.

/// A thread-safe pool of memory blocks of one size, which counts the bytes in use.
///
/// Blocks are carved out of large regions and reused when freed. The regions are unmapped when the arena is released.
final class RowArena: Sendable {
  private static let cacheLineBytes = 64

  private struct State {
    /// The memory of the freed blocks.
    var free: [MutableColumn<UInt8>] = []
    var regions: [MappedRegion] = []
    /// The unused end of the last region; `nil` before the first region is mapped.
    var room: MutableColumn<UInt8>?
  }

  private let blockBytes: Int
  private let state = Guarded(State())
  private let bytes = AtomicInteger(0)

  /// Creates an arena whose blocks have at least `blockBytes` bytes.
  init(blockBytes: Int) {
    // A block ends at a cache line, so threads that fill adjacent blocks do not share one.
    let lineCount = (blockBytes + Self.cacheLineBytes - 1) / Self.cacheLineBytes
    self.blockBytes = lineCount * Self.cacheLineBytes
    precondition(lineCount > 0 && self.blockBytes <= MappedRegion.byteCount, "a block fits into a region")
  }

  /// The number of bytes in use: all blocks that are not freed, and the memory reported to ``addBytes(_:)``.
  var bytesInUse: Int { bytes.value }

  /// Adds to the bytes in use memory that is allocated outside the arena, or subtracts it.
  func addBytes(_ count: Int) { bytes.add(count) }

  /// Returns a free block, or a new one.
  func makeBlock() -> ArenaBlock {
    addBytes(blockBytes)
    let memory = state.withLock { state in
      if let free = state.free.popLast() { return free }
      var room = state.room
      if (room?.count ?? 0) < blockBytes {
        let region = MappedRegion()
        state.regions.append(region)
        room = region.memory
      }
      guard let room else { preconditionFailure("a region was mapped") }
      state.room = room.dropFirst(blockBytes)
      return room[0..<blockBytes]
    }
    return ArenaBlock(memory: memory, arena: self)
  }

  /// Makes the memory of a block available again.
  fileprivate func release(_ memory: MutableColumn<UInt8>) {
    addBytes(-blockBytes)
    state.withLock { $0.free.append(memory) }
  }
}

/// A block of uninitialized memory, which is returned to its arena when the owner is released.
struct ArenaBlock: ~Copyable {
  /// The memory, valid as long as the block.
  let memory: MutableColumn<UInt8>
  fileprivate let arena: RowArena

  deinit { arena.release(memory) }
}

/// Memory of fixed size that is mapped as huge pages if the system has some.
private final class MappedRegion: @unchecked Sendable {
  // The size of two huge pages of x86-64. Without huge pages, a tenth of a report's time is spent on page faults.
  static let byteCount = 4 << 20

  private let start: UnsafeMutableRawPointer

  init() {
    guard let start = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), start != MAP_FAILED
    else {
      fatalError("no memory for \(Self.byteCount) bytes of events")
    }
    #if os(Linux)
      madvise(start, Self.byteCount, MADV_HUGEPAGE)
    #endif
    self.start = start
  }

  deinit { munmap(start, Self.byteCount) }

  /// The memory, valid as long as the region.
  var memory: MutableColumn<UInt8> { MutableColumn(.init(start: start, count: Self.byteCount)) }
}
