import FunnelModel
import FunnelTestSupport
import Testing

@testable import FunnelProjections
@testable import FunnelRendering
@testable import FunnelReports

@Suite struct PropertySummaryTests {
  private struct Count {
    var value: PropertyValue
    var count: Int
  }

  private func value(_ kind: Int, using random: inout SeededGenerator) -> PropertyValue {
    switch Int.random(in: 0..<kind, using: &random) {
    case 0...2: .integer(Int64.random(in: -20...6000, using: &random))
    case 3: .double(Double(Int.random(in: -500...500, using: &random)) / 8)
    case 4: .integer(Int64.random(in: .min ... .max, using: &random))
    default: [.string("a"), .bool(true), .double(1e200), .string("10")].randomElement(using: &random) ?? .null
    }
  }

  /// The summary as its definition says it, with all values sorted.
  @Test(arguments: Sweeps.seeds(60, sample: 20))
  func `count, mean, bounds and frequent values are those of the sorted values`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var counts = PropertyCounts()
    var expected: [PropertyValue: Int] = [:]
    for _ in 0..<Int.random(in: 1...3000, using: &random) {
      let value = value(3 + Int(seed % 4), using: &random)
      counts.add(value, of: "k", 1)
      expected[PropertiesText.normalized(value == .string("10") ? .integer(10) : value), default: 0] += 1
    }
    let flow = FlowDefinition(
      app: "a", flow: "f", version: 1, title: "", window: TimeSpan(milliseconds: 1), countBy: .subject)
    let summary = try #require(PropertySummary.summaries(of: counts, in: flow).first)
    let sorted = expected.map { Count(value: $0.key, count: $0.value) }
      .sorted { ValueCounts.precedes([$0.value], [$1.value]) }
    let numbers = sorted.filter { $0.value.numberValue != nil }
    #expect(summary.count == sorted.reduce(0) { $0 + $1.count }, "seed \(seed)")
    #expect(summary.min == numbers.first?.value && summary.max == numbers.last?.value, "seed \(seed)")
    let sum = numbers.reduce(0.0) { $0 + ($1.value.numberValue ?? 0) * Double($1.count) }
    #expect(summary.mean == (numbers.isEmpty ? nil : sum / Double(numbers.reduce(0) { $0 + $1.count })), "seed \(seed)")
    // Sorting is stable, so equally frequent values stay in their order.
    let top = sorted.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.prefix(10)
    #expect(summary.top.map(\.value) == top.map(\.element.value), "seed \(seed)")
    #expect(summary.top.map(\.count) == top.map(\.element.count), "seed \(seed)")
  }
}
