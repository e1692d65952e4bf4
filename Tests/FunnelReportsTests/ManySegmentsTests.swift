import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports
import FunnelTestSupport
import Testing

/// A matrix of more segments than fit in a line.
@Suite struct ManySegmentsTests {
  @Test func manyDaysOfFewStepsAreTurned() throws {
    #expect(try Self.matrix(Self.days(9), steps: 3, width: 60) == Self.goldenTurned60)
  }

  @Test func manySegmentsOfManyStepsGoOnBelow() throws {
    #expect(try Self.matrix("ABCDEFGHIJ".map { [String($0)] }, steps: 9, width: 60) == Self.goldenContinued60)
  }

  @Test func theOrderOfTheRowsIsKept() throws {
    let text = try Self.matrix(Self.days(30), steps: 3, width: 80)
    let days = text.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first.flatMap { $0.hasPrefix("2026-") ? $0 : nil }
    }
    #expect(days.count == 30 && days == days.sorted())
  }

  @Test func aTitleOfSeveralLongValuesIsBroken() throws {
    #expect(try Self.matrix(Self.campaigns, steps: 3, width: 60) == Self.goldenTitles60)
  }

  @Test func aThousandSegmentsAreAllPrinted() throws {
    let text = try Self.matrix(Self.days(1000), steps: 3, width: 80)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("  20") } == 1000)
  }

  @Test func aVersionIsWrittenAsOne() throws {
    var report = Report.youngByDay
    report.query.by = [.version]
    for index in 0..<3 { report.funnel?[index].key.segment = [.integer(2)] }
    let text = try ReportRenderer.render(report, as: .table, style: TableStyle(width: 80, color: false, isPlain: true))
    #expect(text.contains("\n  v2 "))
  }

  private static func days(_ count: Int) -> [[String]] {
    (0..<count).map { ["\(CivilDate(daysSinceEpoch: 20_758 + $0))"] }
  }

  private static let campaigns = ["returning", "new"].map { ["spring sale for \($0) customers", "2026-11-20"] }

  /// Returns the matrix alone, which is the last tables of a funnel.
  private static func matrix(_ segments: [[String]], steps: Int, width: Int) throws -> String {
    var query = ReportQuery(now: SampleReports.now)
    query.by = segments[0].map { .context($0) }
    let labels = ["Welcome", "Create event type", "Log first event"]
    let rows = segments.enumerated().map { index, values -> FunnelRow in
      var row = FunnelRow.day(
        "", entered: 1000, completed: 500, inProgress: 0, closed: (1000, 500), segment: values.map { .string($0) })
      row.steps = (0..<steps).map { step in
        SampleReports.step(
          "step_\(step)", labels[step % 3], reached: 1000 - 100 * step - index % 100, previous: 1000, start: 1000)
      }
      return row
    }
    let text = try ReportRenderer.render(
      Report(query: query, funnel: rows), as: .table, style: TableStyle(width: width, color: false, isPlain: true))
    let parts = text.split(separator: "\n\n", omittingEmptySubsequences: false)
    let first = try #require(parts.firstIndex { $0.contains("Reached, of") })
    return parts[first...].joined(separator: "\n\n")
  }

  private static let goldenTurned60 = #"""
                                  Create
                                   event  Log first
      Reached, of start  Welcome    type      event
      2026-11-01           100 %  90.0 %     80.0 %
      2026-11-02          99.9 %  89.9 %     79.9 %
      2026-11-03          99.8 %  89.8 %     79.8 %
      2026-11-04          99.7 %  89.7 %     79.7 %
      2026-11-05          99.6 %  89.6 %     79.6 %
      2026-11-06          99.5 %  89.5 %     79.5 %
      2026-11-07          99.4 %  89.4 %     79.4 %
      2026-11-08          99.3 %  89.3 %     79.3 %
      2026-11-09          99.2 %  89.2 %     79.2 %

    """#

  private static let goldenContinued60 = #"""
      Reached, of start       A       B       C       D       E
      Welcome             100 %  99.9 %  99.8 %  99.7 %  99.6 %
      Create event type  90.0 %  89.9 %  89.8 %  89.7 %  89.6 %
      Log first event    80.0 %  79.9 %  79.8 %  79.7 %  79.6 %
      Welcome            70.0 %  69.9 %  69.8 %  69.7 %  69.6 %
      Create event type  60.0 %  59.9 %  59.8 %  59.7 %  59.6 %
      Log first event    50.0 %  49.9 %  49.8 %  49.7 %  49.6 %
      Welcome            40.0 %  39.9 %  39.8 %  39.7 %  39.6 %
      Create event type  30.0 %  29.9 %  29.8 %  29.7 %  29.6 %
      Log first event    20.0 %  19.9 %  19.8 %  19.7 %  19.6 %

      Reached, of start       F       G       H       I       J
      Welcome            99.5 %  99.4 %  99.3 %  99.2 %  99.1 %
      Create event type  89.5 %  89.4 %  89.3 %  89.2 %  89.1 %
      Log first event    79.5 %  79.4 %  79.3 %  79.2 %  79.1 %
      Welcome            69.5 %  69.4 %  69.3 %  69.2 %  69.1 %
      Create event type  59.5 %  59.4 %  59.3 %  59.2 %  59.1 %
      Log first event    49.5 %  49.4 %  49.3 %  49.2 %  49.1 %
      Welcome            39.5 %  39.4 %  39.3 %  39.2 %  39.1 %
      Create event type  29.5 %  29.4 %  29.3 %  29.2 %  29.1 %
      Log first event    19.5 %  19.4 %  19.3 %  19.2 %  19.1 %

    """#

  private static let goldenTitles60 = #"""
                         spring sale for
                               returning  spring sale for
                               customers    new customers
      Reached, of start       2026-11-20       2026-11-20
      Welcome                      100 %           99.9 %
      Create event type           90.0 %           89.9 %
      Log first event             80.0 %           79.9 %

    """#
}
