import FunnelModel
import FunnelTestSupport
import Testing

@testable import FunnelProjections

@Suite struct PropertyCountsTests {
  /// Returns integers of which many are small, some are frequent and some are far apart.
  private func integer(using random: inout SeededGenerator) -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int64.random(in: -3...3, using: &random)
    case 1: Int64.random(in: .min ... .max, using: &random)
    case 2: Int64.random(in: 65_530...65_545, using: &random)
    default: Int64.random(in: 0...60_000, using: &random)
    }
  }

  @Test(arguments: Sweeps.seeds(20, sample: 6), [0, 40, 5000, 30_000])
  func `integers are counted as in a dictionary, also when counts are merged`(seed: UInt64, count: Int) {
    var random = SeededGenerator(seed: seed)
    var parts = Array(repeating: IntegerCounts(), count: 3)
    var expected: [Int64: Int] = [:]
    for _ in 0..<count {
      let (integer, amount) = (integer(using: &random), Int.random(in: 1...3, using: &random))
      // The first part has most of the integers, so that parts of different sizes are merged.
      parts[[0, 0, 0, 1, 2].randomElement(using: &random) ?? 0].add(integer, amount)
      expected[integer, default: 0] += amount
    }
    var sums: [IntegerCounts] = []
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
      var sum = IntegerCounts()
      for part in order { sum.merge(parts[part]) }
      var found: [Int64: Int] = [:]
      sum.forEach { found[$0, default: 0] += $1 }
      #expect(found == expected, "seed \(seed)")
      #expect(expected.allSatisfy { sum[$0.key] == $0.value } && sum[77_777_777] == 0, "seed \(seed)")
      #expect(sum.isEmpty == expected.isEmpty, "seed \(seed)")
      sums.append(sum)
    }
    #expect(Set(sums).count == 1, "seed \(seed)")
    var other = sums[0]
    other.add(12)
    #expect(other != sums[0] && sums[0] != other, "seed \(seed)")
  }

  @Test func `values of any kind are counted by themselves, and doubles as their texts`() {
    let values: [PropertyValue] = [
      .integer(3), .double(3.5), .string("3"), .bool(true), .double(9_007_199_254_740_994), .integer(9_007_199_254_740_994),
      .double(1e300), .integer(-1), .double(-0.0), .integer(0),
    ]
    var (counts, other) = (PropertyCounts(), PropertyCounts())
    for (index, value) in values.enumerated() {
      counts.add(value, of: "b", index + 1)
      other.add(value, of: index % 2 == 0 ? "b" : "a", 1)
    }
    // Beyond 2^53 the text of a double has an exponent.
    #expect(counts["b"][.double(9_007_199_254_740_994)] == 5 && counts["b"][.integer(9_007_199_254_740_994)] == 6)
    #expect(counts["b"][.integer(0)] == 9 + 10)
    #expect(counts["b"][.double(1e300)] == 7 && counts["b"][.string("3")] == 3 && counts["b"][.bool(false)] == 0)
    #expect(counts["a"].isEmpty && !other["a"].isEmpty)
    let sorted = counts["b"].sorted
    #expect(
      sorted.map(\.value) == [
        .integer(-1), .integer(0), .integer(3), .double(3.5), .integer(9_007_199_254_740_994), .double(9_007_199_254_740_994),
        .double(1e300), .string("3"), .bool(true),
      ])
    counts.merge(other)
    #expect(counts["b"][.integer(3)] == 2 && counts["a"][.bool(true)] == 1)
    #expect(counts.sorted.map(\.key) == ["a", "b"])
  }

  /// Swift's strings are equal if they are canonically equivalent; keys are told apart by their bytes.
  @Test func `keys that differ in bytes only are different keys`() {
    var counts = PropertyCounts()
    counts.add(.integer(1), of: "é", 2)
    counts.add(.integer(1), of: "e\u{301}", 3)
    #expect(counts.sorted.map { $0.values[.integer(1)] } == [3, 2])
  }
}
