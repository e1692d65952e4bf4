import FunnelSequences
import FunnelModel
@testable import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct StateTests {
  private func fold(_ scenario: Scenario) -> JourneyFold {
    JourneyFold(
      flow: scenario.flow, query: scenario.query,
      projectors: [FunnelProjector.self, GrantsProjector.self, DropoffProjector.self])
  }

  private func rows(_ counts: FlowCounts) -> FlowReport {
    FlowReport(
      funnel: counts.rows(of: FunnelProjector.self), grants: counts.rows(of: GrantsProjector.self),
      dropoff: counts.rows(of: DropoffProjector.self))
  }

  @Test(arguments: Sweeps.seeds(60, sample: 20)) func `counts that were sent in parts, in any order, are those of the whole`(
    seed: UInt64
  ) throws {
    let scenario = Scenario(seed: seed)
    let fold = fold(scenario)
    var random = SeededGenerator(seed: seed)
    var parts: [[StoredSequence]] = Array(repeating: [], count: 4)
    for sequence in scenario.sequences { parts[Int.random(in: 0..<4, using: &random)].append(sequence) }
    let whole = fold.counts(of: scenario.sequences)
    for _ in 0..<3 {
      var sum = fold.noCounts
      for part in parts.shuffled(using: &random) { try sum.merge(encoded: fold.counts(of: part).encoded) }
      #expect(sum.encoded == whole.encoded, "seed \(seed)")
      #expect(rows(sum) == rows(whole), "seed \(seed)")
    }
  }

  @Test func `many durations, of any length, keep their quantiles and their bytes`() throws {
    let sketch = Sketch("a b", window: .max / 2, now: .max)
    let fold = JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [FunnelProjector.self])
    var random = SeededGenerator(seed: 5)
    let sequences = (0..<5000).map { _ in
      let time = Int64.random(in: 0...(1 << Int64.random(in: 0...61, using: &random)), using: &random)
      let kinds = ([1, 2] as [UInt64]).map { EventClass(stepMask: $0) }
      return StoredSequence(events: [.init(milliseconds: 0, kind: kinds[0]), .init(milliseconds: time, kind: kinds[1])])
    }
    let whole = fold.counts(of: sequences)
    for sizes in [[5000], [1024, 3976], [1, 4999], [1000, 1000, 1000, 1000, 1000]] {
      var sum = fold.noCounts
      var rest = sequences[...]
      for size in sizes {
        try sum.merge(encoded: fold.counts(of: rest.prefix(size)).encoded)
        rest = rest.dropFirst(size)
      }
      #expect(sum.encoded == whole.encoded, "\(sizes)")
      #expect(sum.rows(of: FunnelProjector.self) == whole.rows(of: FunnelProjector.self), "\(sizes)")
    }
  }

  /// If these bytes change, the format needs a new version: states of the old one would be misread.
  @Test func `the bytes are those of the format`() {
    let sketch = Sketch("a b") { $0.by = [.context("variant")] }.groups("0 a@A, 300 b@A", "0 a@A, 5 b@A", "0 a")
    let fold = JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [FunnelProjector.self])
    #expect(
      fold.counts(of: sketch.stored).encoded == [
        5, 15, 2, 0, 0, 0, 3,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 5, 1, 65, 2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5,
      ])
  }

  /// Returns random counts of properties, in a state of the steps of a flow.
  private func properties(_ fold: JourneyFold, using random: inout SeededGenerator) -> Aggregate {
    var aggregate = fold.emptyState
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let value: PropertyValue =
        [
          .integer(Int64.random(in: -9...9, using: &random)), .double(0.5), .string("é"), .bool(false), .integer(.min),
          .double(-1e300), .integer(70_000),
        ].randomElement(using: &random) ?? .null
      aggregate.countProperty(
        ["a", "b", ""].randomElement(using: &random) ?? "", value, Int.random(in: 1...5, using: &random),
        in: Int.random(in: 0..<2, using: &random), of: 0)
    }
    return aggregate
  }

  @Test(arguments: Sweeps.seeds(20, sample: 6)) func `properties that were sent in parts, in any order, are those of the whole`(
    seed: UInt64
  ) throws {
    let sketch = Sketch("a b")
    let fold = JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [StepsProjector.self])
    var random = SeededGenerator(seed: seed)
    let parts = (0..<4).map { _ in properties(fold, using: &random) }
    var whole = fold.emptyState
    for part in parts { whole.merge(part) }
    let bytes = fold.counts(whole).encoded
    for _ in 0..<3 {
      var sum = fold.noCounts
      for part in parts.shuffled(using: &random) { try sum.merge(encoded: fold.counts(part).encoded) }
      #expect(sum.encoded == bytes, "seed \(seed)")
    }
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // Damaged bytes are refused, or give other counts.
      var counts = fold.noCounts
      if (try? counts.merge(encoded: damaged)) != nil { _ = counts.encoded }
    }
  }

  @Test(arguments: Sweeps.seeds(12, sample: 4)) func `damaged bytes are refused or counted, and never trap`(seed: UInt64) throws
  {
    let scenario = Scenario(seed: seed)
    let fold = fold(scenario)
    let bytes = fold.counts(of: scenario.sequences).encoded
    for end in bytes.indices {
      var counts = fold.noCounts
      #expect(throws: StateDamage.self, "seed \(seed), \(end) bytes") { try counts.merge(encoded: Array(bytes[..<end])) }
      #expect(counts.encoded == fold.noCounts.encoded)
    }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      var counts = fold.noCounts
      if (try? counts.merge(encoded: damaged)) != nil { _ = rows(counts) }
    }
  }

  @Test func `counts of another flow, of other reports or of another version are refused with their place`() {
    let (short, long) = (Sketch("a b"), Sketch("a b c"))
    func fold(_ sketch: Sketch) -> JourneyFold {
      JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [FunnelProjector.self])
    }
    var counts = fold(long).noCounts
    #expect { try counts.merge(encoded: fold(short).noCounts.encoded) } throws: {
      "\($0)" == "byte 2: the counts are of another flow or of other reports"
    }
    var bytes = counts.encoded
    bytes[0] = 9
    #expect { try counts.merge(encoded: bytes) } throws: { "\($0)" == "byte 0: the version is not 5" }
    #expect { try counts.merge(encoded: counts.encoded + [0]) } throws: {
      "\($0)".hasSuffix("the state has extra bytes after its end")
    }
  }

  /// Returns a number in LEB128.
  private func leb128(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = UInt64(number)
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  @Test func `durations that no log can have are refused, and many of them take no memory`() throws {
    let sketch = Sketch("a b")
    let fold = JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [FunnelProjector.self])
    // The head, one segment without values, and its fifteen counters.
    let head = Array(fold.noCounts.encoded.prefix(6)) + [1, 0] + [UInt8](repeating: 0, count: 15)
    func state(_ count: Int, longest: Int = 5, cells: [(Int, Int)]) -> [UInt8] {
      let distribution =
        leb128(count) + leb128(longest) + leb128(cells.count) + cells.flatMap { leb128($0.0) + leb128($0.1) }
      return head + distribution + [0]
    }
    for count in [1 << 61, Int.max, Limits.countMax + 1] {
      var counts = fold.noCounts
      #expect(throws: StateDamage.self, "\(count)") { try counts.merge(encoded: state(count, cells: [(5, count)])) }
      #expect(throws: StateDamage.self) { try counts.merge(encoded: state(count, cells: [(4, count - 1), (1, 1)])) }
    }
    var counts = fold.noCounts
    let many = state(
      Limits.countMax, longest: 1 << 55, cells: [(5, Limits.countMax - 1), (DurationBuckets.bucket(of: 1 << 55) - 5, 1)])
    try counts.merge(encoded: many)
    #expect(counts.encoded == many)
    // The sum would be more than any log has.
    #expect(throws: StateDamage.self) { try counts.merge(encoded: many) }
    #expect(counts.encoded == many)
  }

  @Test func `counters that add up to more than any log has are refused`() throws {
    let sketch = Sketch("a b")
    let fold = JourneyFold(flow: sketch.flow, query: sketch.query, projectors: [FunnelProjector.self])
    func state(_ count: Int) -> [UInt8] {
      Array(fold.noCounts.encoded.prefix(6)) + [1, 0] + (0..<15).flatMap { _ in leb128(count) } + [0, 0]
    }
    var counts = fold.noCounts
    try counts.merge(encoded: state(Limits.countMax - 1))
    _ = counts.rows(of: FunnelProjector.self)
    try counts.merge(encoded: state(1))
    for count in [1, Limits.countMax + 1, Int.max] {
      #expect(throws: StateDamage.self) { try counts.merge(encoded: state(count)) }
    }
    #expect(counts.encoded == state(Limits.countMax))
  }
}
