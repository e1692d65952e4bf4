import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct CSVReportTests {
  @Test func aFunnelHasARowPerStepAndAColumnPerDimension() throws {
    let text = try ReportRenderer.render(
      Report(query: SampleReports.segmented.query, funnel: Array(SampleReports.segmented.funnel!.suffix(1))), as: .csv)
    #expect(text == Self.goldenCsvfunnel, "\(text)")
  }

  @Test func grantsHaveARowPerPermission() throws {
    let text = try ReportRenderer.render(Report(query: SampleReports.full.query, grants: SampleReports.health.grants), as: .csv)
    #expect(text == Self.goldenCsvgrants, "\(text)")
  }

  @Test func dropoffHasARowPerStep() throws {
    let text = try ReportRenderer.render(Report(query: SampleReports.full.query, dropoff: SampleReports.full.dropoff), as: .csv)
    #expect(text == Self.goldenCsvdropoff, "\(text)")
  }

  @Test func severalReportsDoNotFitIntoOneFile() {
    let expected = FunnelError(
      .usage, "a CSV file holds only one report, and several were asked for, name one: funnel report funnel --format csv")
    #expect(throws: expected) { try ReportRenderer.render(SampleReports.full, as: .csv) }
  }

  @Test func aReportWithoutRowsStillHasItsHeader() throws {
    let text = try ReportRenderer.render(Report(query: ReportQuery(now: SampleReports.now), dropoff: []), as: .csv)
    #expect(text.hasPrefix("app,flow,version,entered,id,label,dropped,"))
    #expect(text.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [0, 1, 2, 3])
  func theHeaderNamesAsManyColumnsAsEveryRowHas(_ seed: Int) throws {
    var reports = DistinctReports(seed: UInt64(seed))
    for report in SampleReports.named(reports.report()) {
      let rows = try CSVReader.read(ReportRenderer.render(report, as: .csv))
      #expect(Set(rows[0]).count == rows[0].count)
      #expect(rows.allSatisfy { $0.count == rows[0].count })
    }
  }

  @Test func theColumnsAreTheKeysOfJSONWithNestedOnesJoined() throws {
    let report = SampleReports.full
    let json = try JSONDocument(parsing: Array(ReportRenderer.render(report, as: .json).utf8)).root
    for (named, name) in zip(SampleReports.named(report), ["funnel", "grants", "dropoff"]) {
      let header = try CSVReader.read(ReportRenderer.render(named, as: .csv))[0]
      let row = try #require(json[name]?.array?[0])
      let keys = Self.names(of: row) + Self.names(of: row["steps"]?.array?[1])
      for key in keys { #expect(header.contains(key), "\(name): \(key)") }
    }
  }

  /// Returns the names of the columns for the keys of a JSON object.
  private static func names(of node: JSONDocument.Node?) -> [String] {
    (node?.object ?? []).flatMap { member -> [String] in
      switch member.key {
      case "by", "steps": []
      case "last_step": ["last_step"]
      case let key where key.hasSuffix("_ci95"): ["\(key)_low", "\(key)_high"]
      default: member.node.object == nil ? [member.key] : names(of: member.node).map { "\(member.key)_\($0)" }
      }
    }
  }

  @Test func everyRowEndsWithWhatItsNumbersAreOf() throws {
    var query = ReportQuery(now: SampleReports.now)
    query.since = Timestamp(rfc3339: "2026-11-01T00:00:00Z")
    let rows = try CSVReader.read(ReportRenderer.render(Report(query: query, dropoff: [SampleReports.dropoff]), as: .csv))
    #expect(rows.map { $0.suffix(3) }[0] == ["as_of", "since", "until"])
    #expect(rows.dropFirst().allSatisfy { $0.suffix(3) == ["2026-11-21T06:00:00.000Z", "2026-11-01T00:00:00.000Z", ""] })
  }

  @Test func theVersionIsOneColumnAlsoWhereSegmentsAreByIt() throws {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.version, .day]
    var row = SampleReports.dropoff
    row.key.segment = [.integer(1), .string("2026-11-20")]
    let rows = try CSVReader.read(ReportRenderer.render(Report(query: query, dropoff: [row]), as: .csv))
    #expect(rows[0].prefix(5) == ["app", "flow", "version", "day", "entered"])
    #expect(rows[1].prefix(5) == ["cleaner", "permissions_flow", "1", "2026-11-20", "1248"])
  }

  @Test func excelGetsAByteOrderMarkAndLinesThatEndAsInDOS() throws {
    let report = Report(query: SampleReports.full.query, dropoff: [SampleReports.dropoff])
    let plain = try ReportRenderer.render(report, as: .csv)
    let excel = try ReportRenderer.render(report, as: .csv, dialect: .excel)
    #expect(Array(excel.utf8.prefix(3)) == [0xEF, 0xBB, 0xBF])
    #expect(!plain.utf8.contains(UInt8(ascii: "\r")))
    let lines = plain.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    #expect(Array(excel.utf8.dropFirst(3)) == Array(lines.map { $0 + "\r\n" }.joined().utf8))
  }

  @Test func numbersStayNumbersAndTextsThatLookLikeFormulasGetAnApostrophe() throws {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.property("a"), .property("b"), .property("c"), .property("a"), .property("d")]
    var row = SampleReports.dropoff
    row.key.segment = [.integer(-5), .double(-0.5), .string("-5"), .integer(-5), .string("")]
    row.steps = [row.steps[0]]
    let text = try ReportRenderer.render(Report(query: query, dropoff: [row]), as: .csv)
    #expect(text.contains(",props.a,props.b,props.c,props.d,entered,"))
    #expect(text.contains("cleaner,permissions_flow,1,-5,-0.5,'-5,\"\",1248,"), "\(text)")
  }

  private static let goldenCsvfunnel = #"""
    app,flow,version,window_ms,ctx.variant,week,entered,completed,returned,finished_out_of_order,conversion,conversion_ci95_low,conversion_ci95_high,closed_entered,closed_completed,closed_conversion,closed_conversion_ci95_low,closed_conversion_ci95_high,id,label,optional,reached,from_previous,from_start,dropped,in_progress,time_from_previous_ms_p50,time_from_previous_ms_p90,time_from_previous_ms_p99,as_of,since,until
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,,0,0.625,0.5625,0.6875,1200,768,0.64,0.5775,0.7025,start,Flow started,false,24,1,1,1,0,,,,2026-11-21T06:00:00.000Z,2026-11-01T00:00:00.000Z,
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,,0,0.625,0.5625,0.6875,1200,768,0.64,0.5775,0.7025,photos,Photo access,false,23,0.9583333333333334,0.9583333333333334,4,0,900,2100,4000,2026-11-21T06:00:00.000Z,2026-11-01T00:00:00.000Z,
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,,0,0.625,0.5625,0.6875,1200,768,0.64,0.5775,0.7025,contacts,Contacts access,false,18,0.782608695652174,0.75,2,0,4200,123000,82803000,2026-11-21T06:00:00.000Z,2026-11-01T00:00:00.000Z,
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,,0,0.625,0.5625,0.6875,1200,768,0.64,0.5775,0.7025,push,Notifications,true,12,0.6666666666666666,0.5,,,5000,9100,600000,2026-11-21T06:00:00.000Z,2026-11-01T00:00:00.000Z,
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,,0,0.625,0.5625,0.6875,1200,768,0.64,0.5775,0.7025,completed,Flow completed,false,15,0.8333333333333334,0.625,0,0,12000,105000,604798000,2026-11-21T06:00:00.000Z,2026-11-01T00:00:00.000Z,

    """#

  private static let goldenCsvgrants = #"""
    app,flow,version,permission,prompted,granted,limited,denied,skipped,unanswered,in_progress,recovered,unprimed,gran\#
    t_rate,grant_rate_ci95_low,grant_rate_ci95_high,access_rate,access_rate_ci95_low,access_rate_ci95_high,dialog_gran\#
    t_rate,dialog_grant_rate_ci95_low,dialog_grant_rate_ci95_high,closed_prompted,closed_granted,closed_grant_rate,clo\#
    sed_grant_rate_ci95_low,closed_grant_rate_ci95_high,decision_ms_p50,decision_ms_p90,decision_ms_p99,note,as_of,sin\#
    ce,until
    trendy,onboarding,1,healthkit,20,18,0,0,2,0,0,0,0,0.9,0.8375,0.9625,0.9,0.8375,0.9625,,,,10,9,0.9,0.8375,0.9625,,,\#
    ,"asked and answered; the answer to a read request is not disclosed",2026-11-21T06:00:00.000Z,,

    """#

  private static let goldenCsvdropoff = #"""
    app,flow,version,entered,id,label,dropped,share_of_entered,share_of_reached,in_progress,closed_reached,closed_dropped,closed_share,lost_completions,exits_skipped,exits_denied,exits_failed,exits_back,exits_left,exits_ended,last_step,dwell_ms_p50,dwell_ms_p90,dwell_ms_p99,as_of,since,until
    cleaner,permissions_flow,1,1248,start,Flow started,78,0.0625,0.0625,12,1212,78,0.06435643564356436,53.65,0,0,0,0,78,0,start=78,,,,2026-11-21T06:00:00.000Z,,
    cleaner,permissions_flow,1,1248,photos,Photo access,234,0.1875,0.20207253886010362,16,1134,234,0.20634920634920634,202.8,12,180,0,2,35,5,photos=234,3100,8000,61000,2026-11-21T06:00:00.000Z,,
    cleaner,permissions_flow,1,1248,contacts,Contacts access,120,0.09615384615384616,0.13215859030837004,8,900,120,0.13333333333333333,120,30,81,1,0,8,0,"contacts=70;push=50",3723000,12000000,300000000,2026-11-21T06:00:00.000Z,,

    """#
}
