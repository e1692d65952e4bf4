import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A thread-safe pool of memory chunks of one size, which counts the bytes in use.
///
/// Chunks are carved out of large regions and reused when freed. The regions are unmapped when the arena is released.
final class RowArena: Sendable {
  // The size of two huge pages of x86-64. Without huge pages, a tenth of a report's time is spent on page faults.
  private static let regionBytes = 4 << 20
  private static let cacheLineBytes = 64

  private struct State {
    /// The freed chunks.
    var free: [UnsafeMutableRawPointer] = []
    var regions: [UnsafeMutableRawPointer] = []
    /// The unused end of the last region, or `nil` before the first region is mapped.
    var room: UnsafeMutableRawBufferPointer?
  }

  private let chunkBytes: Int
  private let state = Guarded(SendableState(State()))
  private let bytes = AtomicInteger(0)

  /// A sendable wrapper of the state. The lock orders all access to the memory across threads.
  private struct SendableState: @unchecked Sendable {
    var value: State
    init(_ value: State) { self.value = value }
  }

  /// Creates an arena whose chunks have at least `chunkBytes` bytes.
  init(chunkBytes: Int) {
    // A chunk ends at a cache line, so threads that fill adjacent chunks do not share one.
    let lineCount = (chunkBytes + Self.cacheLineBytes - 1) / Self.cacheLineBytes
    self.chunkBytes = lineCount * Self.cacheLineBytes
    precondition(lineCount > 0 && self.chunkBytes <= Self.regionBytes, "a chunk fits into a region")
  }

  deinit {
    state.withLock { state in
      for region in state.value.regions { munmap(region, Self.regionBytes) }
    }
  }

  /// The number of bytes in use: all chunks that are not freed, and the memory reported to ``addBytes(_:)``.
  var bytesInUse: Int { bytes.value }

  /// Acquires uninitialized memory for one chunk. The caller must return it with ``giveBack(_:otherBytes:)``.
  func take() -> UnsafeMutableRawPointer {
    addBytes(chunkBytes)
    let chunk = state.withLock { state -> SendablePointer in
      if let free = state.value.free.popLast() { return SendablePointer(free) }
      if (state.value.room?.count ?? 0) < chunkBytes { state.value.room = Self.makeRegion(&state.value) }
      let room = state.value.room!
      state.value.room = UnsafeMutableRawBufferPointer(rebasing: room[chunkBytes...])
      return SendablePointer(room.baseAddress!)
    }
    return chunk.value
  }

  private struct SendablePointer: @unchecked Sendable {
    var value: UnsafeMutableRawPointer
    init(_ value: UnsafeMutableRawPointer) { self.value = value }
  }

  /// Releases the memory of a chunk for reuse.
  ///
  /// - Parameter otherBytes: The number of bytes that the chunk reported to ``addBytes(_:)``.
  func giveBack(_ chunk: UnsafeMutableRawPointer, otherBytes: Int) {
    let chunk = SendablePointer(chunk)
    addBytes(-chunkBytes - otherBytes)
    state.withLock { $0.value.free.append(chunk.value) }
  }

  /// Adds to the bytes in use memory that a chunk allocates outside the arena.
  func addBytes(_ count: Int) { bytes.add(count) }

  private static func makeRegion(_ state: inout State) -> UnsafeMutableRawBufferPointer {
    guard let region = mmap(nil, regionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), region != MAP_FAILED
    else {
      fatalError("no memory for \(regionBytes) bytes of events")
    }
    #if os(Linux)
      madvise(region, regionBytes, MADV_HUGEPAGE)
    #endif
    state.regions.append(region)
    return UnsafeMutableRawBufferPointer(start: region, count: regionBytes)
  }
}
