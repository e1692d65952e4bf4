import FunnelModel
import FunnelSystem

/// Finds duplicate events in a log with bounded memory. ``StoreVerification`` describes the method.
///
/// The hashes are divided into slices, one for each reading of the log, and within a slice into shards, so that
/// threads rarely wait for each other.
final class DuplicateFinder: Sendable {
  /// The location of an event in the log.
  struct Place: Sendable {
    var event: RecordFindings.Record
    var member: MemberReference
  }

  /// The number of shards: more than a machine usually has threads.
  private static let shardCount = 64
  /// The maximum number of hashes whose events are located. If more events are duplicated, these are enough to show it.
  private static let suspectsMax = 1 << 16
  /// The maximum number of slices, which bounds the time if the number of events in a damaged journal is impossibly large.
  private static let slicesMax = 1 << 12

  /// The number of slices: how often the log is read to collect the hashes.
  let sliceCount: Int
  private let shards: [Shard]
  private let state = Guarded(State())

  private struct State {
    /// The index of the current slice.
    var slice = 0
    /// The lower halves of hashes that occurred more than once.
    var suspects: Set<UInt64> = []
  }

  private final class Shard: Sendable {
    let hashes: Guarded<[UInt64]>

    init(capacity: Int) {
      var hashes: [UInt64] = []
      hashes.reserveCapacity(capacity)
      self.hashes = Guarded(hashes)
    }
  }

  /// Creates a finder for a log.
  ///
  /// - Parameters:
  ///   - events: The approximate number of events.
  ///   - bytesMax: The memory for hashes, in bytes.
  init(events: Int, bytesMax: Int) {
    precondition(events >= 0 && bytesMax >= 0, "counts are not negative")
    let eventsMax = max(bytesMax / MemoryLayout<UInt64>.stride, 1)
    let slicesNeeded = events / eventsMax + (events % eventsMax > 0 ? 1 : 0)
    sliceCount = min(max(1, slicesNeeded), Self.slicesMax)
    // Slightly more than the average number of hashes, so that few shards have to grow.
    let average = min(events / sliceCount, eventsMax) / Self.shardCount
    let capacity = events == 0 ? 0 : average * 17 / 16 + 64
    shards = (0..<Self.shardCount).map { _ in Shard(capacity: capacity) }
  }

  /// Adds the events of a member that belong to the current slice.
  func add(_ events: [RecordFindings.Record]) {
    guard !events.isEmpty else { return }
    let slice = state.withLock { $0.slice }
    var hashesByShard = [[UInt64]](repeating: [], count: Self.shardCount)
    // The upper 64 bits of a hash select the slice: the high half of the product maps them uniformly to
    // 0..<sliceCount. The lower 64 bits select the shard.
    for event in events where sliceCount == 1 || Int(event.high.multipliedFullWidth(by: UInt64(sliceCount)).high) == slice {
      hashesByShard[Int(event.low % UInt64(Self.shardCount))].append(event.low)
    }
    for (shard, hashes) in zip(shards, hashesByShard) where !hashes.isEmpty {
      shard.hashes.withLock { $0.append(contentsOf: hashes) }
    }
  }

  /// Finishes the current slice and starts another. Must not be called concurrently with ``add(_:)``.
  func begin(slice: Int, threads: Int) throws(FunnelError) {
    try finish(threads: threads)
    state.withLock { $0.slice = slice }
  }

  /// Sorts the hashes of the current slice and records those that occur more than once.
  func finish(threads: Int) throws(FunnelError) {
    let found = try Parallel.map(count: shards.count, threads: threads) { (index) throws(FunnelError) in
      shards[index].hashes.withLock { hashes in
        hashes.sort()
        defer { hashes.removeAll(keepingCapacity: true) }
        return zip(hashes, hashes.dropFirst()).lazy.filter { $0 == $1 }.prefix(Self.suspectsMax).map(\.0)
      }
    }
    state.withLock { state in
      for hash in found.joined() where state.suspects.count < Self.suspectsMax { state.suspects.insert(hash) }
    }
  }

  /// The lower halves of the hashes that occurred more than once.
  var suspects: Set<UInt64> { state.withLock { $0.suspects } }

  /// Returns the locations of the events of a member whose hashes are suspects.
  func places(of events: [RecordFindings.Record], in member: MemberReference) -> [Place] {
    let suspects = suspects
    return events.filter { suspects.contains($0.low) }.map { Place(event: $0, member: member) }
  }

  /// The whole hash of an event.
  private struct EventHash: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ event: RecordFindings.Record) {
      high = event.high
      low = event.low
    }
  }

  /// Returns the second and later occurrences of each event in the order of the log, each with the first occurrence.
  static func duplicates(among places: [Place]) -> [(duplicate: Place, first: Place)] {
    var firsts: [EventHash: Place] = [:]
    var duplicates: [(duplicate: Place, first: Place)] = []
    let sorted = places.sorted {
      ($0.member.logFile, $0.member.offset, $0.event.number) < ($1.member.logFile, $1.member.offset, $1.event.number)
    }
    for place in sorted {
      if let first = firsts[EventHash(place.event)] {
        duplicates.append((place, first))
      } else {
        firsts[EventHash(place.event)] = place
      }
    }
    return duplicates
  }
}
