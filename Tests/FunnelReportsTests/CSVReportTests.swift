import FunnelModel
import FunnelProjections
import FunnelReports
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
      .usage, "CSV holds one report, and several were asked for, name one: funnel report funnel --format csv")
    #expect(throws: expected) { try ReportRenderer.render(SampleReports.full, as: .csv) }
  }

  @Test func aReportWithoutRowsStillHasItsHeader() throws {
    let text = try ReportRenderer.render(Report(query: ReportQuery(now: SampleReports.now), dropoff: []), as: .csv)
    #expect(text.hasPrefix("app,flow,version,entered,id,label,dropped,"))
    #expect(text.filter { $0 == "\n" }.count == 1)
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
    app,flow,version,window_ms,ctx.variant,week,entered,completed,conversion,conversion_ci95_low,conversion_ci95_hig\#
    h,id,label,optional,reached,from_previous,from_start,dropped,in_progress,time_from_previous_ms_p50,time_from_pre\#
    vious_ms_p90,time_from_previous_ms_p99
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,0.625,0.5625,0.6875,start,Flow started,false,24,1,1,1,0,,,
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,0.625,0.5625,0.6875,photos,Photo access,false,23,0.95833333\#
    33333334,0.9583333333333334,4,0,900,2100,4000
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,0.625,0.5625,0.6875,contacts,Contacts access,false,18,0.782\#
    608695652174,0.75,2,0,4200,123000,82803000
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,0.625,0.5625,0.6875,push,Notifications,true,12,0.6666666666\#
    666666,0.5,,,5000,9100,600000
    cleaner,permissions_flow,1,604800000,,2026-W47,24,15,0.625,0.5625,0.6875,completed,Flow completed,false,15,0.833\#
    3333333333334,0.625,0,0,12000,105000,604798000

    """#

  private static let goldenCsvgrants = #"""
    app,flow,version,permission,prompted,granted,limited,denied,skipped,unanswered,in_progress,recovered,unprimed,gr\#
    ant_rate,grant_rate_ci95_low,grant_rate_ci95_high,access_rate,access_rate_ci95_low,access_rate_ci95_high,dialog_\#
    grant_rate,dialog_grant_rate_ci95_low,dialog_grant_rate_ci95_high,decision_ms_p50,decision_ms_p90,decision_ms_p9\#
    9,note
    trendy,onboarding,1,healthkit,20,18,0,0,2,0,0,0,0,0.9,0.8375,0.9625,0.9,0.8375,0.9625,,,,,,,"asked and answered;\#
     the answer to a read request is not disclosed"

    """#

  private static let goldenCsvdropoff = #"""
    app,flow,version,entered,id,label,dropped,share_of_entered,share_of_reached,exits_skipped,exits_denied,exits_fai\#
    led,exits_back,exits_left,dwell_ms_p50,dwell_ms_p90,dwell_ms_p99
    cleaner,permissions_flow,1,1248,start,Flow started,78,0.0625,0.0625,0,0,0,0,78,0,0,0
    cleaner,permissions_flow,1,1248,photos,Photo access,234,0.1875,0.20207253886010362,12,180,0,2,40,3100,8000,61000
    cleaner,permissions_flow,1,1248,contacts,Contacts access,120,0.09615384615384616,0.13215859030837004,30,81,1,0,8\#
    ,3723000,12000000,300000000

    """#
}
