@testable import FunnelModel
import FunnelProjections
@testable import FunnelReports
import FunnelTestSupport
import Testing

/// Alarms about changes over many nights of invented days.
@Suite struct AlertCheckTests {
  private static let flow = try! FlowDefinition(
    json: Array(
      #"{"app":"app","flow":"flow","version":1,"window":"1d","steps":[{"id":"a","label":"A","entered_by":["a"]},{"id":"b","label":"B","entered_by":["b"]},{"id":"c","label":"C","entered_by":["c"]},{"id":"d","label":"D","entered_by":["d"]}]}"#
        .utf8), source: "flow.json")
  private static let now = Timestamp(rfc3339: "2026-11-21T03:00:00Z")!
  private static let alpha = 0.05

  /// A day's groups: how many entered, and how many reached each of the three steps after.
  private struct Day {
    var entered: Int
    var reached: [Int]
  }

  /// Draws days. On weekends fewer people come, and fewer go on.
  private static func days(
    _ count: Int, entered: Int, rate: (_ day: Int) -> Double, using random: inout SeededGenerator
  ) -> [Day] {
    (0..<count).map { number in
      let isWeekend = number % 7 > 4
      let entered = isWeekend ? entered * 6 / 10 : entered
      var left = entered
      var reached: [Int] = []
      for step in 0..<3 {
        let share = min(max((step == 2 ? rate(number) : 0.8) - (isWeekend ? 0.05 : 0), 0), 1)
        left = (0..<left).reduce(0) { sum, _ in sum + (Double.random(in: 0..<1, using: &random) < share ? 1 : 0) }
        reached.append(left)
      }
      return Day(entered: entered, reached: reached)
    }
  }

  private static func report(_ days: some Sequence<Day>, _ query: ReportQuery) -> Report {
    let sum = days.reduce(into: Day(entered: 0, reached: [0, 0, 0])) { sum, day in
      sum.entered += day.entered
      for step in 0..<3 { sum.reached[step] += day.reached[step] }
    }
    var report = Report(query: query)
    let key = RowKey(app: "app", flow: "flow", version: 1, segment: [])
    report[FunnelReport.self] = [
      FunnelRow(
        key: key, title: "", windowMilliseconds: 86_400_000, entered: sum.entered, completed: sum.reached[2], inProgress: 0,
        dropped: sum.entered - sum.reached[2],
        steps: zip(["a", "b", "c", "d"], [sum.entered] + sum.reached).map { id, reached in
          FunnelStepRow(
            id: id, label: id, isOptional: false, reached: reached, fromPrevious: nil, fromStart: nil, dropped: nil,
            inProgress: nil,
            timeFromPrevious: nil)
        })
    ]
    report[GrantsReport.self] = []
    return report
  }

  /// Returns the alarms of the night after a day.
  private static func alerts(_ check: AlertCheck, _ days: [Day], after last: Int) -> [Alert] {
    let queries = RecentNumbers.queries(now: now, windowMilliseconds: 86_400_000, timeZone: .utc)
    let recent = RecentNumbers(
      flow, recent: report(days[(last - 6)...last], queries.recent),
      baseline: report(days[(last - 34)..<(last - 6)], queries.baseline))
    return check.alerts([recent])
  }

  private static func check(change: Double) throws -> AlertCheck {
    var rules = AlertRules(source: "rules.json")
    rules.alpha = alpha
    rules.rules = ["conversion", "reached:b", "reached:c", "reached:d"].map {
      AlertRule(flow: FlowReference(app: "app", flow: "flow"), metric: $0, change: change)
    }
    return try AlertCheck(rules, catalog: FlowCatalog(layers: [[FlowFile(definition: flow, name: "flow.json")]]))
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func `400 quiet nights raise alarms on at most one in twenty`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let days = Self.days(435, entered: 120, rate: { _ in 0.7 }, using: &random)
    let check = try Self.check(change: 0)
    let alarms = (35..<435).filter { !Self.alerts(check, days, after: $0 - 1).isEmpty }
    #expect(Double(alarms.count) <= 400 * Self.alpha, "seed \(seed): \(alarms.count) nights of 400")
  }

  @Test func `what fell by as much as a week can show is found within that week`() throws {
    // Of the weekdays' groups 0.8 · 0.8 · rate complete, of the weekends' each step 5 points less.
    func conversion(_ rate: Double) -> Double {
      let (weekday, weekend) = (0.64 * rate, 0.75 * 0.75 * (rate - 0.05))
      return (5 * weekday + 2 * 0.6 * weekend) / 6.2
    }
    let (before, after) = (conversion(0.7), conversion(0.5))
    let needed = try #require(SampleSize.perSide(before, after))
    // Twice as many as two samples of one size would need, for four rules share the risk.
    let entered = 2 * needed * 10 / 62
    let check = try Self.check(change: 0.1)
    let tries = 60
    var found = 0
    for seed in 0..<tries {
      var random = SeededGenerator(seed: UInt64(seed))
      let days = Self.days(50, entered: entered, rate: { $0 < 40 ? 0.7 : 0.5 }, using: &random)
      let texts = Self.alerts(check, days, after: 46).map(\.text)
      if texts.contains(where: { $0.contains("Conversion fell from ") }) { found += 1 }
    }
    // The sample size is that of a power of 80 %.
    #expect(Double(found) >= 0.8 * Double(tries), "\(found) of \(tries), \(needed) groups a side")
  }

  @Test func `a change below the least one is not told, however certain`() throws {
    var random = SeededGenerator(seed: 9)
    let days = Self.days(50, entered: 20_000, rate: { $0 < 40 ? 0.70 : 0.67 }, using: &random)
    #expect(Self.alerts(try Self.check(change: 0.1), days, after: 46).isEmpty)
    #expect(!Self.alerts(try Self.check(change: 0.01), days, after: 46).isEmpty)
  }
}
