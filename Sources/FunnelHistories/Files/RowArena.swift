import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An allocator for chunks of one size that counts the bytes in use.
///
/// It maps large regions, on Linux in huge pages if available: otherwise a tenth of a report's time would be spent on page faults.
/// Freed chunks are reused.
final class RowArena: Sendable {
  private static let regionBytes = 4 << 20

  private struct State {
    var free: [UnsafeMutableRawPointer] = []
    var regions: [UnsafeMutableRawPointer] = []
    var room: UnsafeMutableRawBufferPointer?
  }

  private let chunkBytes: Int
  private let state = Guarded(Unchecked(State()))
  private let bytes = AtomicInteger(0)

  /// Makes memory sendable. The lock orders all access to it across threads.
  private struct Unchecked: @unchecked Sendable {
    var value: State
    init(_ value: State) { self.value = value }
  }

  init(chunkBytes: Int) {
    self.chunkBytes = (chunkBytes + 63) & ~63
  }

  deinit {
    state.withLock { state in
      for region in state.value.regions { munmap(region, Self.regionBytes) }
    }
  }

  /// The number of bytes of all chunks that have not been given back.
  var bytesInUse: Int { bytes.value }

  /// Returns memory for one chunk.
  func take() -> UnsafeMutableRawPointer {
    addBytes(chunkBytes)
    let taken = state.withLock { state -> Unchecked2 in
      if let free = state.value.free.popLast() { return Unchecked2(free) }
      if (state.value.room?.count ?? 0) < chunkBytes { state.value.room = Self.makeRegion(&state.value) }
      let room = state.value.room!
      state.value.room = UnsafeMutableRawBufferPointer(rebasing: room[chunkBytes...])
      return Unchecked2(room.baseAddress!)
    }
    return taken.value
  }

  private struct Unchecked2: @unchecked Sendable {
    var value: UnsafeMutableRawPointer
    init(_ value: UnsafeMutableRawPointer) { self.value = value }
  }

  /// Takes back the memory of a chunk.
  func giveBack(_ chunk: UnsafeMutableRawPointer, otherBytes: Int) {
    let chunk = Unchecked2(chunk)
    addBytes(-chunkBytes - otherBytes)
    state.withLock { $0.value.free.append(chunk.value) }
  }

  /// Counts memory that a chunk allocates elsewhere.
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
