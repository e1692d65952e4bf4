import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport

/// Every number of the widest table is printed at any width.
@Suite struct NothingVanishesTests {
  @Test(arguments: 0..<24)
  func everyNumberOfTheWidestTableIsThereAtAnyWidth(_ seed: Int) throws {
    var reports = DistinctReports(seed: UInt64(seed))
    let report = reports.report()
    let widest = Self.numbers(in: try table(report, width: TableStyle.widthMax, isPlain: seed % 2 == 0))
    // The seeds together cover all widths, a few each.
    for width in stride(from: 40 + seed, through: 200, by: 24) {
      let text = try table(report, width: width, isPlain: seed % 2 == 0)
      let printed = Self.numbers(in: text)
      let missing = widest.filter { printed[$0.key, default: 0] < $0.value }.keys.sorted()
      #expect(missing == [], "seed \(seed), width \(width):\n\(text)")
    }
  }

  @Test(arguments: 0..<24)
  func theWidestTableHasTheNumbersOfItsRows(_ seed: Int) throws {
    var reports = DistinctReports(seed: UInt64(seed))
    let report = reports.report()
    let text = try table(report, width: 40, isPlain: false)
    let printed = Self.numbers(in: text)
    for expected in Self.expected(in: report) where expected.contains(where: \.isNumber) {
      for number in Self.numbers(in: expected).keys {
        #expect(printed[number] != nil, "seed \(seed): \(expected)\n\(text)")
      }
    }
  }

  /// Returns the texts that a table of the report must contain.
  private static func expected(in report: Report) -> [String] {
    var texts: [String] = []
    func add(_ counts: [Int?]) { texts += counts.compactMap { $0.map(HumanNumbers.count) } }
    func add(_ shares: [Double?]) { texts += shares.compactMap { $0.map(HumanNumbers.percent) } }
    func add(_ rates: [Rate?]) {
      for case let rate? in rates {
        let (low, high) = HumanNumbers.interval(rate)
        texts += [HumanNumbers.percent(rate.value), low, high]
      }
    }
    func add(_ times: [Int64?]) { texts += times.compactMap { $0.map { HumanNumbers.duration(milliseconds: $0) } } }
    let isCompared = !report.query.by.isEmpty
    for row in report.funnel ?? [] {
      add([row.entered, row.completed, row.inProgress, row.dropped])
      if row.hasManyInProgress, !isCompared {
        // A rate that is not final has no interval.
        add([row.conversion?.value])
      } else {
        add([row.conversion])
      }
      if row.hasManyInProgress {
        add([row.closed.entered])
        add([row.closed.conversion?.value])
      }
      for (index, step) in row.steps.enumerated() {
        add([step.fromStart])
        if isCompared { continue }
        add([step.reached] + (step.isOptional ? [] : [step.dropped, step.inProgress]))
        if index > 0 {
          add([step.fromPrevious])
          add([step.timeFromPrevious?.p50, step.timeFromPrevious?.p90, step.timeFromPrevious?.p99])
        }
      }
    }
    for row in report.grants ?? [] {
      add([row.prompted, row.granted, row.limited, row.denied, row.skipped, row.unanswered, row.inProgress, row.recovered])
      add([row.unprimed])
      // Segments have a sum of it.
      if !isCompared { add([row.recoveredViaSettings]) }
      add([row.grantRate, row.accessRate])
      add([row.dialogGrantRate?.value])
      add([row.decisionTime?.p50, row.decisionTime?.p90])
      if row.isYoung { add([row.closed.prompted]) }
    }
    for row in report.dropoff ?? [] {
      // With one segment these are the funnel's numbers.
      if isCompared { add([row.dropped, row.entered]) }
      for step in row.steps {
        add([step.shareOfReached])
        add(step.lastElsewhere.map { step.share(of: $0) })
        if isCompared { continue }
        add([step.shareOfEntered])
        add([step.dropped] + step.exits.filter { $0 > 0 } + step.lastElsewhere.map(\.groups))
        add([step.dwell?.p50, step.dwell?.p90])
      }
    }
    return texts
  }

  private func table(_ report: Report, width: Int, isPlain: Bool) throws -> String {
    try ReportRenderer.render(report, as: .table, style: TableStyle(width: width, color: false, isPlain: isPlain))
  }

  /// Returns the numbers in a text, and how often each occurs.
  private static func numbers(in text: String) -> [String: Int] {
    let (comma, point) = (UInt8(ascii: ","), UInt8(ascii: "."))
    let runs = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) && $0 != comma && $0 != point }
    return runs.reduce(into: [:]) { counts, run in
      // A comma or a point at either end is not part of the number.
      var run = run.drop { $0 == comma || $0 == point }
      while let last = run.last, last == comma || last == point { run.removeLast() }
      if !run.isEmpty { counts[String(decoding: run, as: UTF8.self), default: 0] += 1 }
    }
  }
}
