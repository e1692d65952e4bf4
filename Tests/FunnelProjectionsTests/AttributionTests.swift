import FunnelSequences
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

/// Values that the anchor lacks: attribution, mixed values, and what is told of them.
@Suite struct AttributionTests {
  private static let variant = Dimension.context("variant")

  private static func sketch(_ steps: String = "a b c", _ change: (inout ReportQuery) -> Void = { _ in }) -> Sketch {
    Sketch(steps, window: 10) {
      $0.by = [variant]
      change(&$0)
    }
  }

  private static func segments(_ sketch: Sketch) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: sketch.rows(FunnelProjector.self).map { ($0.key.segment[0].description, $0.entered) })
  }

  @Test func `a value that the anchor lacks is that of the first later event that has it, within the window`() {
    let groups: (Sketch) -> Sketch = {
      $0.groups("0 a@A, 1 b@B", "0 a, 1 b@B, 2 c@A", "0 a, 5 -, 10 -@A", "0 a, 11 b@A", "0 -@A, 1 a, 2 b")
    }
    #expect(Self.segments(groups(Self.sketch())) == ["A": 1, "null": 4])
    #expect(Self.segments(groups(Self.sketch { $0.attribution = .known })) == ["A": 2, "B": 1, "null": 2])
  }

  @Test func `conditions are asked at the same event`() {
    let known = Self.sketch {
      $0.by = []
      $0.conditions = [SegmentCondition("ctx.variant=A")].compactMap(\.self)
      $0.attribution = .known
    }
    #expect(known.groups("0 a, 1 b@A", "0 a@B, 1 b@A", "0 a").funnel.entered == 1)
  }

  @Test func `a permission's value is the first known from its pre-prompt on`() {
    let sketch = Self.sketch("a photos!") { $0.attribution = .known }
    let rows = sketch.groups("0 a@A, 1 photos:prompt, 2 photos:granted@B").rows(GrantsProjector.self)
    #expect(rows.map(\.key.segment) == [[.string("B")]])
  }

  @Test func `groups with several values are counted in their segment, and can be left out`() {
    let groups: (Sketch) -> Sketch = {
      $0.groups("0 a@A, 1 b@B", "0 a@A, 1 b@A", "0 a@A, 11 b@B", "0 -@B, 1 a@A", "0 a, 1 b@A, 2 c@B", "0 a, 1 b")
    }
    let mixed = groups(Self.sketch()).rows(MixedProjector.self)
    #expect(mixed.map { "\($0.segment.values[0]) \($0.entered) \($0.mixed)" } == ["A 4 1", "null 2 1"])
    #expect(Self.segments(groups(Self.sketch { $0.dropsMixed = true })) == ["A": 3, "null": 1])
  }

  @Test func `the events of a step provide its value: its match, else its first completion`() {
    let sketch = Self.sketch("a b c") { $0.by = [.step(id: "b", .context("variant"))] }
    let groups = sketch.groups(
      "0 a, 1 b@A, 2 b:completed@B", "0 a, 1 b, 2 b:completed@B, 3 b:completed@A", "0 a, 1 b, 2 c, 3 b:completed@A",
      "0 a, 1 b:completed@A", "0 a, 1 b, 12 b:completed@A")
    #expect(Self.segments(groups) == ["A": 1, "B": 1, "null": 3])
  }

  @Test func `grants take the values of steps also from a chain that began before the period`() {
    let sketch = Self.sketch("a b photos!") {
      $0.by = [.step(id: "b", .context("variant"))]
      $0.since = Timestamp(milliseconds: 5)
    }
    let rows = sketch.groups("0 a, 1 b@B, 6 photos:prompt").rows(GrantsProjector.self)
    #expect(rows.map(\.key.segment) == [[.string("B")]])
    #expect(sketch.groups("0 a, 1 b@B, 6 photos:prompt").rows(FunnelProjector.self).isEmpty)
  }

  @Test func `groups that lack a key at their anchor are counted, and where they have it`() {
    let groups: (Sketch) -> Sketch = {
      $0.groups("0 a@A, 1 b@B", "0 a, 1 b@B, 2 c@A", "0 a, 5 -@A, 6 b@B", "0 a, 11 b@A", "0 -@A, 1 a, 2 b, 3 c")
    }
    let coverage = groups(Self.sketch()).rows(KeyCoverageProjector.self)[0]
    #expect(coverage.entered == 5)
    #expect(coverage.completed == 2)
    #expect(coverage.keys.map(\.key) == [Self.variant])
    let key = coverage.keys[0]
    #expect([key.groups, key.absent, key.later] == [5, 4, 2])
    // Both later values are there when b is matched, and one is still when c is.
    #expect(key.laterAtSteps == [0, 2, 1])
    let conditions = Self.sketch { $0.conditions = [SegmentCondition("ctx.variant=B")].compactMap(\.self) }
    #expect(groups(conditions).rows(KeyCoverageProjector.self)[0].keys[0].groups == 5)
    #expect(groups(conditions).rows(KeyCoverageProjector.self)[0].entered == 0)
  }

  @Test(arguments: Sweeps.seeds(8, sample: 3)) func `what is counted of keys agrees with the brute force`(block: UInt64) {
    for seed in block * 100..<(block + 1) * 100 {
      let scenario = Scenario(seed: seed)
      let expected = BruteForce(flow: scenario.flow, query: scenario.query, groups: scenario.sequences)
      let coverage = scenario.sequences.rows(KeyCoverageProjector.self, flow: scenario.flow, query: scenario.query)[0]
      let keys = Dictionary(
        coverage.keys.map { ($0.key, [$0.groups, $0.absent, $0.later]) }, uniquingKeysWith: { first, _ in first })
      #expect(keys == expected.coverage(), "seed \(seed)")
      var complete = scenario.query
      complete.dropsMixed = false
      let mixed = scenario.sequences.rows(MixedProjector.self, flow: scenario.flow, query: complete)
      #expect(
        Dictionary(uniqueKeysWithValues: mixed.map { ($0.segment, [$0.entered, $0.mixed]) }) == expected.mixed(),
        "seed \(seed)")
    }
  }

  @Test func `an attribution to the anchor gives what it gave, and any other changes absent values alone`() {
    for seed in 0..<200 as Range<UInt64> {
      let scenario = Scenario(seed: seed)
      var anchor = scenario.query
      anchor.attribution = .anchor
      anchor.dropsMixed = false
      anchor.conditions = []
      var known = anchor
      known.attribution = .known
      func sizes(_ query: ReportQuery) -> [[PropertyValue]: Int] {
        let rows = scenario.sequences.rows(FunnelProjector.self, flow: scenario.flow, query: query)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key.segment, $0.entered) })
      }
      let (before, after) = (sizes(anchor), sizes(known))
      #expect(before.values.reduce(0, +) == after.values.reduce(0, +), "seed \(seed)")
      for (segment, size) in before where !segment.contains(.null) { #expect(after[segment] ?? 0 >= size, "seed \(seed)") }
    }
  }
}
