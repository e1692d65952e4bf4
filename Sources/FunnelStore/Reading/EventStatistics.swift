import FunnelModel
import FunnelSystem

/// Finds events that are in a log more than once; ``StoreVerification`` describes the method.
final class EventStatistics: Sendable {
  /// The place of an event in the log.
  struct Place: Sendable {
    var event: RecordFindings.Record
    var member: MemberReference
  }

  private static let shardCount = 64
  /// The maximum number of hashes looked for in the second reading. A log in which every event is duplicated is wrong enough with these.
  private static let suspectsMax = 1 << 16
  /// The maximum number of readings, so that a journal with an impossible number of events does not cost more.
  private static let slicesMax = 1 << 12

  /// The number of times the log is read.
  let sliceCount: Int
  private let shards: [Shard]
  private let state = Guarded(State())

  private struct State {
    var slice = 0
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

  /// Creates a census of about `events` events that keeps their hashes in `bytesMax` bytes of memory.
  init(events: Int, bytesMax: Int) {
    let eventsMax = max(bytesMax / MemoryLayout<UInt64>.stride, 1)
    let count = min(max(1, events / eventsMax + (events % eventsMax > 0 ? 1 : 0)), Self.slicesMax)
    sliceCount = count
    // A little more than the average, so that hardly any shard has to grow.
    let capacity = events == 0 ? 0 : min(events / count, eventsMax) / Self.shardCount * 17 / 16 + 64
    shards = (0..<Self.shardCount).map { _ in Shard(capacity: capacity) }
  }

  /// Adds the events of a member that belong to the current slice.
  func add(_ events: [RecordFindings.Record]) {
    guard !events.isEmpty else { return }
    let slice = state.withLock { $0.slice }
    var parts = [[UInt64]](repeating: [], count: Self.shardCount)
    // The upper 64 bits choose the slice and the lower ones the shard. The high half of the product maps a hash uniformly to a slice.
    for event in events where sliceCount == 1 || Int(event.high.multipliedFullWidth(by: UInt64(sliceCount)).high) == slice {
      parts[Int(event.low % UInt64(Self.shardCount))].append(event.low)
    }
    for (shard, part) in zip(shards, parts) where !part.isEmpty {
      shard.hashes.withLock { $0.append(contentsOf: part) }
    }
  }

  /// Finishes the current slice and begins another.
  func begin(slice: Int, threads: Int) throws(FunnelError) {
    try finish(threads: threads)
    state.withLock { $0.slice = slice }
  }

  /// Looks for equal hashes in the current slice.
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

  /// The hashes that more than one event has.
  var suspects: Set<UInt64> { state.withLock { $0.suspects } }

  /// Returns the places of suspects in a member.
  func places(of events: [RecordFindings.Record], in member: MemberReference) -> [Place] {
    let suspects = suspects
    return events.filter { suspects.contains($0.low) }.map { Place(event: $0, member: member) }
  }

  /// Returns every occurrence but the first of each event, paired with the first.
  static func duplicates(among places: [Place]) -> [(duplicate: Place, first: Place)] {
    var firsts: [[UInt64]: Place] = [:]
    var duplicates: [(duplicate: Place, first: Place)] = []
    let sorted = places.sorted {
      ($0.member.part, $0.member.offset, $0.event.number) < ($1.member.part, $1.member.offset, $1.event.number)
    }
    for place in sorted {
      if let first = firsts[[place.event.high, place.event.low]] {
        duplicates.append((place, first))
      } else {
        firsts[[place.event.high, place.event.low]] = place
      }
    }
    return duplicates
  }
}
