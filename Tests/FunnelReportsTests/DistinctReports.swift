import FunnelModel
import FunnelProjections
@testable import FunnelReports
import FunnelTestSupport

/// Reports whose counts all differ and whose labels contain no numbers, so that a missing number is noticed.
struct DistinctReports {
  private var numbers: SeededGenerator
  private var lastCount = 1000
  private static let words = [
    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo",
  ]

  init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

  mutating func report() -> Report {
    var query = ReportQuery(now: SampleReports.now)
    query.by = Array([Dimension.context("variant"), .context("country")].prefix(pick(0...2)))
    let segments = query.by.isEmpty ? 1 : pick(2...14)
    let steps = pick(2...9)
    let rows = (0..<segments).map { index in
      RowKey(
        app: "app", flow: "flow", version: 1,
        segment: query.by.indices.map { .string($0 == 0 ? Self.words[index % 11] + (index > 10 ? " x" : "") : label()) })
    }
    var report = Report(query: query)
    report.funnel = rows.map { funnel($0, steps: steps) }
    report.grants = ["photos", "contacts"].flatMap { name in rows.map { grant($0, name) } }
    report.dropoff = rows.map { dropoff($0, steps: steps - 1) }
    return report
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// Returns the next count, of up to ten digits.
  private mutating func count() -> Int {
    lastCount += pick(1...9)
    return pick(0...3) == 0 ? lastCount * 100_003 : lastCount
  }

  private mutating func share() -> Double { Double(pick(10...989)) / 1000 }

  private mutating func rate() -> Rate { Rate(value: share(), low: share(), high: share(), denominator: pick(10...60)) }

  private mutating func label() -> String { (0..<pick(1...4)).map { _ in Self.words[pick(0...10)] }.joined(separator: " ") }

  private mutating func quantiles() -> Quantiles {
    Quantiles(p50: Int64(pick(1...900)), p90: Int64(pick(10_000...3_000_000)), p99: Int64(pick(100_000_000...900_000_000)))
  }

  private mutating func funnel(_ key: RowKey, steps: Int) -> FunnelRow {
    let entered = count()
    return FunnelRow(
      key: key, title: "Flow", windowMilliseconds: 604_800_000, entered: entered, completed: count(),
      inProgress: pick(0...1) == 0 ? entered / 2 + pick(1...400) : 7, dropped: count(), conversion: rate(),
      closed: ClosedConversion(entered: count(), completed: count(), conversion: rate()),
      steps: (0..<steps).map { index in
        let isOptional = index > 0 && index % 3 == 0
        return FunnelStepRow(
          id: "step_\(index)", label: label(), isOptional: isOptional, reached: count(), fromPrevious: share(),
          fromStart: share(),
          dropped: isOptional ? nil : count(), inProgress: isOptional ? nil : count(), timeFromPrevious: quantiles())
      })
  }

  private mutating func grant(_ key: RowKey, _ permission: String) -> GrantRow {
    GrantRow(
      key: key, permission: permission, prompted: count(), granted: count(), limited: count(), denied: count(),
      skipped: count(),
      unanswered: count(), inProgress: count(), recovered: count(), unprimed: count(), grantRate: rate(), accessRate: rate(),
      dialogGrantRate: rate(), closed: ClosedGrants(prompted: count(), granted: count(), grantRate: rate()),
      decisionTime: quantiles(), recoveredViaSettings: count())
  }

  private mutating func dropoff(_ key: RowKey, steps: Int) -> DropoffRow {
    DropoffRow(
      key: key, title: "Flow", entered: count(), dropped: count(),
      steps: (0..<steps).map { index in
        let dropped = count()
        let closed = count()
        return DropoffStepRow(
          id: "step_\(index)", label: label(), dropped: dropped, shareOfEntered: share(), shareOfReached: share(),
          reached: count(), inProgress: count(), closed: ClosedDropoff(reached: closed, dropped: closed / pick(2...9)),
          lostCompletions: Double(count()),
          exits: ExitKind.allCases.map { _ in pick(0...1) == 0 ? 0 : count() },
          lastSteps: (0..<pick(0...2)).map {
            LastStep(id: "other_\($0)", label: label(), groups: max(dropped / pick(2...9), 1))
          },
          dwell: quantiles())
      })
  }
}
