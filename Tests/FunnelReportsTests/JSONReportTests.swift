import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport

@Suite struct JSONReportTests {
  @Test func aReportHasTheKeysOfTheSpecificationInItsOrder() throws {
    var grant = SampleReports.grants[2]
    grant.note = "asked and answered"
    grant.dialogGrantRate = nil
    let report = Report(
      query: ReportQuery(now: SampleReports.now), funnel: [SampleReports.cleaner()], grants: [grant],
      dropoff: [SampleReports.dropoff])
    let text = try ReportRenderer.render(report, as: .json)
    #expect(text == Self.golden, "\(text)")
  }

  @Test func aNamedReportPrintsTheQueryAndItsOwnKeyAlone() throws {
    var query = ReportQuery(now: SampleReports.now)
    query.since = Timestamp(rfc3339: "2026-11-01T00:00:00Z")
    query.until = Timestamp(rfc3339: "2026-11-20T00:00:00.5Z")
    query.window = TimeSpan("12h")
    query.order = .strict
    query.countBy = .attempt
    query.by = [.context("variant"), .week]
    query.conditions = [SegmentCondition("ctx.country!=DE")!]
    query.isMature = true
    #expect(
      try ReportRenderer.render(Report(query: query, dropoff: []), as: .json) == """
        {
          "query":{"since":"2026-11-01T00:00:00.000Z","until":"2026-11-20T00:00:00.500Z","now":"2026-11-21T06:00:00.000Z",\
        "window_ms":43200000,"order":"strict","count_by":"attempt","by":["ctx.variant","week"],"where":["ctx.country!=DE"],\
        "mature":true},
          "dropoff":[]
        }

        """)
  }

  @Test func aDamagedLogIsTheLastKeyAndWhatNobodyKnowsIsNull() throws {
    var report = Report(query: ReportQuery(now: SampleReports.now), dropoff: [])
    report.damage = ReportDamage(places: [
      .init(path: "log/dt=2026-11-20/part-00000.ndjson.gz", offset: 7, events: 3, reason: "it is \"short\""),
      .init(path: "log/dt=2026-11-21/part-00000.ndjson.gz", offset: 0, events: 0, reason: "it is missing"),
    ])
    func end() throws -> String { try ReportRenderer.render(report, as: .json) }
    let places = """
      {"path":"log/dt=2026-11-20/part-00000.ndjson.gz","offset":7,"events_missing":3,"reason":"it is \\"short\\""},
          {"path":"log/dt=2026-11-21/part-00000.ndjson.gz","offset":0,"events_missing":0,"reason":"it is missing"}
      """
    let text = try end()
    let expected = "\"dropoff\":[],\n  \"damage\":{\"events_missing\":3,\"places\":[\n    \(places)\n  ]}\n}\n"
    #expect(text.hasSuffix(expected), "\(text)")
    report.damage?.places.append(.init(path: "log/journal.ndjson", offset: 0, events: nil, reason: "line 1 is damaged"))
    #expect(try end().contains("\"damage\":{\"events_missing\":null,"))
  }

  @Test func segmentsAreKeyedByDimensionInQueryOrderAndAbsentOnesAreNull() throws {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.property("z"), .context("a"), .property("z"), .day]
    let segment: [PropertyValue] = [.double(1.5), .bool(true), .double(1.5), .null]
    let row = DropoffRow(
      key: SampleReports.key("cleaner", "permissions_flow", 1, segment), title: "Permissions", entered: 0, dropped: 0, steps: []
    )
    let text = try ReportRenderer.render(Report(query: query, dropoff: [row]), as: .json)
    #expect(text.contains(#""by":{"props.z":1.5,"ctx.a":true,"day":null},"entered":0"#), "\(text)")
  }

  @Test func charactersThatCannotBeSeenAreEscapedAndReadBackTheSame() throws {
    let hostile = "a\u{202E}b\u{1B}[31m\u{9B}\u{200B}\u{7F}\u{E0041}\"\\\n\u{2028}é家"
    var row = SampleReports.dropoff
    row.steps[0].label = hostile
    let text = try ReportRenderer.render(Report(query: ReportQuery(now: SampleReports.now), dropoff: [row]), as: .json)
    #expect(text.unicodeScalars.allSatisfy { !$0.isHidden || $0 == "\n" })
    let root = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(root["dropoff"]?.array?[0]["steps"]?.array?[0]["label"]?.string == hostile)
  }

  private static let golden = """
    {
      "query":{"since":null,"until":null,"now":"2026-11-21T06:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,\
    "by":[],"where":[],"mature":false},
      "funnel":[
        {"app":"cleaner","flow":"permissions_flow","version":1,"window_ms":604800000,"by":{},"entered":1248,"completed":780,\
    "in_progress":36,"dropped":432,"returned":null,"finished_out_of_order":0,"conversion":0.625,"conversion_ci95":[0.5625,0.6875],\
    "closed":{"entered":1200,"completed":768,"conversion":0.64,"conversion_ci95":[0.5775,0.7025]},"steps":[
          {"id":"start","label":"Flow started","optional":false,"reached":1248,"from_previous":1,"from_start":1,"dropped":78,\
    "in_progress":12,"time_from_previous_ms":null},
          {"id":"photos","label":"Photo access","optional":false,"reached":1158,"from_previous":0.9278846153846154,\
    "from_start":0.9278846153846154,"dropped":234,"in_progress":16,"time_from_previous_ms":{"p50":900,"p90":2100,"p99":4000}},
          {"id":"contacts","label":"Contacts access","optional":false,"reached":908,"from_previous":0.7841105354058722,\
    "from_start":0.7275641025641025,"dropped":120,"in_progress":8,\
    "time_from_previous_ms":{"p50":4200,"p90":123000,"p99":82803000}},
          {"id":"push","label":"Notifications","optional":true,"reached":612,"from_previous":0.6740088105726872,\
    "from_start":0.49038461538461536,"dropped":null,"in_progress":null,\
    "time_from_previous_ms":{"p50":5000,"p90":9100,"p99":600000}},
          {"id":"completed","label":"Flow completed","optional":false,"reached":780,"from_previous":0.8590308370044053,\
    "from_start":0.625,"dropped":0,"in_progress":0,"time_from_previous_ms":{"p50":12000,"p90":105000,"p99":604798000}}
        ]}
      ],
      "grants":[
        {"app":"cleaner","flow":"permissions_flow","version":1,"permission":"push","by":{},"prompted":24,"granted":12,"limited":0,\
    "denied":9,"skipped":3,"unanswered":0,"in_progress":0,"recovered":0,"unprimed":0,"grant_rate":0.5,\
    "grant_rate_ci95":[0.4375,0.5625],"access_rate":0.5,"access_rate_ci95":[0.4375,0.5625],"dialog_grant_rate":null,\
    "dialog_grant_rate_ci95":null,\
    "closed":{"prompted":12,"granted":6,"grant_rate":0.5,"grant_rate_ci95":[0.4375,0.5625]},"decision_ms":{"p50":1500,"p90":4000,"p99":9000},"note":"asked and answered"}
      ],
      "dropoff":[
        {"app":"cleaner","flow":"permissions_flow","version":1,"by":{},"entered":1248,"dropped":432,"in_progress":36,\
    "steps":[
          {"id":"start","label":"Flow started","dropped":78,"share_of_entered":0.0625,"share_of_reached":0.0625,\
    "in_progress":12,"closed":{"reached":1212,"dropped":78,"share":0.06435643564356436},"lost_completions":53.65,\
    "exits":{"skipped":0,"denied":0,"failed":0,"back":0,"left":78,"ended":0},"last_step":{"start":78},"dwell_ms":null},
          {"id":"photos","label":"Photo access","dropped":234,"share_of_entered":0.1875,"share_of_reached":0.20207253886010362,\
    "in_progress":16,"closed":{"reached":1134,"dropped":234,"share":0.20634920634920634},"lost_completions":202.8,\
    "exits":{"skipped":12,"denied":180,"failed":0,"back":2,"left":35,"ended":5},"last_step":{"photos":234},\
    "dwell_ms":{"p50":3100,"p90":8000,"p99":61000}},
          {"id":"contacts","label":"Contacts access","dropped":120,"share_of_entered":0.09615384615384616,\
    "share_of_reached":0.13215859030837004,"in_progress":8,\
    "closed":{"reached":900,"dropped":120,"share":0.13333333333333333},"lost_completions":120,"exits":{"skipped":30,"denied":81,"failed":1,"back":0,"left":8,"ended":0},\
    "last_step":{"contacts":70,"push":50},\
    "dwell_ms":{"p50":3723000,"p90":12000000,"p99":300000000}}
        ]}
      ]
    }

    """
}
