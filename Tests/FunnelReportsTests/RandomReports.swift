import FunnelModel
import FunnelProjections
import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport

/// Random reports of any shape: labels of any length, counts of any size, no steps, many segments, absent values.
struct RandomReports {
  private var numbers: SeededGenerator

  init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

  mutating func report() -> Report {
    var query = ReportQuery(now: SampleReports.now)
    query.by = (0..<pick(0...2)).map { _ in .context(text()) }
    query.isMature = pick(0...3) == 0
    if pick(0...1) == 0 { query.since = Timestamp(milliseconds: Int64(pick(0...1_800_000_000_000))) }
    if pick(0...2) == 0 { query.conditions = [SegmentCondition("ctx.a!=b")!] }
    let segments = query.by.isEmpty ? 1 : pick(1...12)
    var report = Report(query: query)
    let kinds = pick(1...7)
    if kinds & 1 != 0 { report.funnel = (0..<segments).map { _ in funnel(dimensions: query.by.count) } }
    if kinds & 2 != 0 { report.grants = (0..<segments * pick(1...3)).map { _ in grant(dimensions: query.by.count) } }
    if kinds & 4 != 0 { report.dropoff = (0..<segments).map { _ in dropoff(dimensions: query.by.count) } }
    if pick(0...2) == 0 { report.damage = damage() }
    return report
  }

  private mutating func damage() -> ReportDamage {
    ReportDamage(
      places: (0..<pick(1...9)).map { _ in
        ReportDamage.Place(path: text(), offset: count(), events: optional { $0.count() }, reason: text())
      })
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  private mutating func count() -> Int {
    switch pick(0...3) {
    case 0: 0
    case 1: pick(1...50)
    case 2: pick(0...100_000)
    default: pick(0...1_000_000_000_000)
    }
  }

  private mutating func optional<Value>(_ value: (inout RandomReports) -> Value) -> Value? {
    pick(0...3) == 0 ? nil : value(&self)
  }

  private mutating func share() -> Double { pick(0...4) == 0 ? Double(pick(0...1)) : Double(pick(0...100_000)) / 100_000 }

  private mutating func text() -> String {
    pick(0...1) == 0
      ? HostileTexts.all.randomElement(using: &numbers)! : String(repeating: "Step ", count: pick(1...12)) + String(pick(0...9))
  }

  private mutating func rate() -> Rate? {
    optional { Rate(value: $0.share(), low: $0.share(), high: $0.share(), denominator: $0.count()) }
  }

  private mutating func quantiles() -> Quantiles? {
    optional { Quantiles(p50: Int64($0.count()), p90: Int64($0.count()), p99: Int64($0.count())) }
  }

  private mutating func key(_ dimensions: Int) -> RowKey {
    let segment: [PropertyValue] = (0..<dimensions).map { _ in pick(0...4) == 0 ? .null : .string(text()) }
    return RowKey(app: "app", flow: pick(0...5) == 0 ? text() : "flow", version: pick(1...2), segment: segment)
  }

  private mutating func funnel(dimensions: Int) -> FunnelRow {
    let steps = (0..<pick(0...8)).map { _ in
      FunnelStepRow(
        id: text(), label: text(), isOptional: pick(0...3) == 0, reached: optional { $0.count() },
        fromPrevious: optional { $0.share() },
        fromStart: optional { $0.share() }, dropped: optional { $0.count() }, inProgress: optional { $0.count() },
        timeFromPrevious: quantiles())
    }
    return FunnelRow(
      key: key(dimensions), title: text(), windowMilliseconds: Int64(count()), entered: count(), completed: count(),
      inProgress: count(), dropped: count(), conversion: rate(),
      closed: ClosedConversion(entered: count(), completed: count(), conversion: rate()), steps: steps)
  }

  private mutating func grant(dimensions: Int) -> GrantRow {
    GrantRow(
      key: key(dimensions), permission: text(), note: optional { $0.text() }, prompted: count(), granted: count(),
      limited: count(),
      denied: count(), skipped: count(), unanswered: count(), inProgress: count(), recovered: count(),
      unprimed: optional { $0.count() }, grantRate: rate(), accessRate: rate(), dialogGrantRate: rate(),
      closed: ClosedGrants(prompted: count(), granted: count(), grantRate: rate()), decisionTime: quantiles(),
      recoveredViaSettings: optional { $0.count() })
  }

  private mutating func dropoff(dimensions: Int) -> DropoffRow {
    let steps = (0..<pick(0...8)).map { _ in
      DropoffStepRow(
        id: text(), label: text(), dropped: count(), shareOfEntered: optional { $0.share() },
        shareOfReached: optional { $0.share() }, reached: count(), inProgress: count(),
        closed: ClosedDropoff(reached: count(), dropped: count()), lostCompletions: optional { $0.share() * 100 },
        exits: ExitKind.allCases.map { _ in count() },
        lastSteps: (0..<pick(0...3)).map { LastStep(id: "step_\($0)", label: text(), groups: pick(1...1000)) },
        dwell: quantiles())
    }
    return DropoffRow(
      key: key(dimensions), title: text(), entered: count(), dropped: count(), inProgress: count(), steps: steps)
  }
}
