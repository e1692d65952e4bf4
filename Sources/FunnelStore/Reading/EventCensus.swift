import FunnelModel
import FunnelSystem

/// Tells whether events stand in a log more than once; ``StoreVerification`` says how.
final class EventCensus: Sendable {
  /// Where an event stands.
  struct Place: Sendable {
    var event: RecordFindings.Record
    var member: MemberReference
  }

  private static let shardCount = 64
  /// Hashes that are looked for in the second reading, at most: a log in which everything stands twice is wrong enough with these.
  private static let suspectsMax = 1 << 16
  /// Readings at most, so that a journal that speaks of more events than there can be costs no more.
  private static let slicesMax = 1 << 12

  /// How often the log is read.
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

  /// A census of about so many events, in so many bytes of memory.
  init(events: Int, bytesMax: Int) {
    let eventsMax = max(bytesMax / MemoryLayout<UInt64>.stride, 1)
    let count = min(max(1, events / eventsMax + (events % eventsMax > 0 ? 1 : 0)), Self.slicesMax)
    sliceCount = count
    // A little more than the average, so that hardly any shard grows.
    let capacity = events == 0 ? 0 : min(events / count, eventsMax) / Self.shardCount * 17 / 16 + 64
    shards = (0..<Self.shardCount).map { _ in Shard(capacity: capacity) }
  }

  /// Takes in the events of a member that belong to the slice.
  func add(_ events: [RecordFindings.Record]) {
    guard !events.isEmpty else { return }
    let slice = state.withLock { $0.slice }
    var parts = [[UInt64]](repeating: [], count: Self.shardCount)
    for event in events where sliceCount == 1 || Int(event.high.multipliedFullWidth(by: UInt64(sliceCount)).high) == slice {
      parts[Int(event.low % UInt64(Self.shardCount))].append(event.low)
    }
    for (shard, part) in zip(shards, parts) where !part.isEmpty {
      shard.hashes.withLock { $0.append(contentsOf: part) }
    }
  }

  /// Goes on to another slice.
  func begin(slice: Int, threads: Int) throws(FunnelError) {
    try finish(threads: threads)
    state.withLock { $0.slice = slice }
  }

  /// Looks for equal hashes in the slice.
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

  /// Hashes that more than one event has.
  var suspects: Set<UInt64> { state.withLock { $0.suspects } }

  /// Where suspects stand in a member.
  func places(of events: [RecordFindings.Record], in member: MemberReference) -> [Place] {
    let suspects = suspects
    return events.filter { suspects.contains($0.low) }.map { Place(event: $0, member: member) }
  }

  /// All but the first of each event, each with the first.
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
