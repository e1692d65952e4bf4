import Foundation
import FunnelModel
import FunnelProjections
import FunnelTestSupport
import Testing

@testable import FunnelReports

/// The rows of `funnel compare` from the rows of two sides, and how they are written.
@Suite struct CompareReportTests {
  // MARK: - Rows

  @Test func theMetricsAreConversionTheStepsAndThreeRatesOfEachPermission() throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.side("B", 480, 279)))
    #expect(
      row.metrics.map(\.name) == [
        "conversion", "reached:photos", "reached:done", "grant_rate:photos", "access_rate:photos", "dialog_grant_rate:photos",
      ])
    #expect(row.metrics.map(\.a) == [(264, 500), (400, 500), (264, 500), (200, 400), (220, 400), (200, 320)].map(Self.share))
    #expect(row.metrics.map(\.b) == [(279, 480), (400, 480), (279, 480), (200, 400), (220, 400), (200, 320)].map(Self.share))
    #expect(row.conversion?.name == "conversion")
  }

  @Test func aStepOrAPermissionThatOneSideLacksIsNullThereAndHasNoTest() throws {
    var newer = Self.side("v2", 100, 50, steps: ["photos", "people", "done"])
    newer.permissions = ["photos", "contacts"]
    var older = Self.side("v1", 100, 40, steps: ["intro", "photos", "done"])
    older.permissions = []
    let row = try #require(Self.row(older, newer, version: nil, ratio: nil))
    #expect(
      row.metrics.map(\.name) == [
        "conversion", "reached:intro", "reached:photos", "reached:people", "reached:done", "grant_rate:photos",
        "access_rate:photos", "dialog_grant_rate:photos", "grant_rate:contacts", "access_rate:contacts",
        "dialog_grant_rate:contacts",
      ])
    #expect(row.metrics.map { $0.a == nil } == [false, false, false, true, false, true, true, true, true, true, true])
    #expect(row.metrics.map { $0.b == nil } == [false, true, false, false, false, false, false, false, false, false, false])
    for metric in row.metrics {
      let isTested = metric.a?.rate != nil && metric.b?.rate != nil
      #expect((metric.comparison != nil) == isTested && (metric.holmP != nil) == isTested, "\(metric.name)")
    }
    #expect(row.sizes == nil)
  }

  @Test func aPermissionThatNobodyWasAskedForIsListedWithoutARate() throws {
    var (a, b) = (Self.side("A", 10, 5), Self.side("B", 10, 5))
    a.grants = []
    let metric = try #require(Self.row(a, b)?.metrics.first { $0.name == "grant_rate:photos" })
    #expect(metric.a == ComparedShare(0, of: 0) && metric.a?.rate == nil)
    #expect(metric.comparison == nil && metric.holmP == nil)
    b.grants = []
    #expect(Self.row(a, b)?.metrics.count == 6)
  }

  @Test func aSideWithoutGroupsIsShownAsLongAsTheOtherHasSome() throws {
    let row = try #require(Self.row(Self.side("A", 10, 5), Self.empty("B")))
    #expect(row.b.entered == 0 && row.metrics.allSatisfy { $0.comparison == nil })
    #expect(Self.row(Self.empty("A"), Self.empty("B")) == nil)
  }

  @Test func theCountsOfSeveralRowsOfASideAddUp() throws {
    let one = Self.side("1", 100, 40)
    var both = one
    both.funnel += one.funnel
    both.grants += one.grants
    let row = try #require(Self.row(one, both))
    for metric in row.metrics {
      #expect(metric.b?.count == metric.a.map { 2 * $0.count } && metric.b?.total == metric.a.map { 2 * $0.total })
    }
  }

  // MARK: - Laws

  @Test(arguments: 0..<50)
  func theSidesChangedRoundTheDifferenceChangesItsSignAndNothingElse(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let (a, b) = (Self.random("A", &random), Self.random("B", &random))
    let (row, turned) = (try #require(Self.row(a, b)), try #require(Self.row(b, a)))
    #expect(row.sizes?.result.p == turned.sizes?.result.p)
    for (metric, other) in zip(row.metrics, turned.metrics) {
      #expect(metric.a == other.b && metric.b == other.a)
      guard let comparison = metric.comparison, let reverse = other.comparison else { continue }
      #expect(comparison.difference == -reverse.difference)
      #expect(abs(comparison.low + reverse.high) < 1e-12 && abs(comparison.high + reverse.low) < 1e-12)
      #expect(abs(comparison.p - reverse.p) < 1e-9 && comparison.test == reverse.test)
      #expect(comparison.neededPerSide == reverse.neededPerSide)
    }
  }

  @Test(arguments: 0..<50)
  func holmNeverMakesAPSmallerAndOnlyTheTestsOfTheRowCount(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let row = try #require(Self.row(Self.random("A", &random), Self.random("B", &random)))
    let tested = row.metrics.filter { $0.comparison != nil }
    for metric in tested {
      let (p, holm) = (try #require(metric.comparison?.p), try #require(metric.holmP))
      #expect(p <= holm && holm <= 1 && holm <= p * Double(tested.count) + 1e-12)
    }
    let smallest = try #require(tested.min { $0.comparison!.p < $1.comparison!.p })
    #expect(smallest.holmP == min(1, smallest.comparison!.p * Double(tested.count)))
  }

  @Test func aSideComparedWithItselfDiffersInNothing() throws {
    let side = Self.side("A", 500, 264)
    let row = try #require(Self.row(side, side))
    #expect(row.metrics.allSatisfy { $0.comparison?.difference == 0 && $0.comparison?.p == 1 && $0.holmP == 1 })
    #expect(row.metrics.allSatisfy { $0.comparison?.neededPerSide == nil })
    #expect(row.sizes?.result.chiSquared == 0 && row.sizes?.result.isSuspect == false)
  }

  // MARK: - JSON, CSV

  @Test func theJSONHasTheKeysOfTheSpecificationInItsOrder() throws {
    var b = Self.empty("B")
    b.steps = [.init(id: "done", label: "Done")]
    b.permissions = []
    let row = try #require(Self.row(Self.side("A", 4, 1, steps: ["photos"]), b))
    let text = try ReportRenderer.render(Self.report([row]), as: .json)
    #expect(text == Self.goldenJSON, "\(text)")
  }

  @Test func aTestedMetricHasAllItsNumbersInJSON() throws {
    var b = Self.side("B", 5, 4)
    b.permissions = []
    let row = try #require(Self.row(Self.side("A", 4, 1, steps: ["photos"]), b))
    let text = try ReportRenderer.render(Self.report([row]), as: .json)
    #expect(text.contains(#""difference":0.55,"difference_ci95":["#), "\(text)")
    #expect(text.contains(#"],"lift":2.2,"test":"fisher","p":0.2063"#), "\(text)")
  }

  @Test func theJSONIsAsTheSchemaDescribesIt() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Schemas/report.v1.schema.json")
    let schema = Array(try Data(contentsOf: file))
    let check = try SchemaCheck(schema: schema)
    var random = SeededGenerator(seed: 1)
    var rows = [Self.row(Self.side("A", 4, 1, steps: ["photos"]), Self.empty("B"))]
    rows += (0..<20).map { _ in Self.row(Self.random("A", &random), Self.random("B", &random)) }
    rows += [Self.row(Self.side("v1", 10, 5), Self.side("v2", 12, 8), version: nil, ratio: nil)]
    let json = Array(try ReportRenderer.render(Self.report(rows.compactMap { $0 }), as: .json).utf8)
    #expect(try check.problems(in: json) == [])
    let definitions = try #require(try JSONDocument(parsing: schema).root["$defs"])
    func required(_ name: String) -> [String?] { (definitions[name]?["required"]?.array ?? []).map(\.string) }
    func keys(_ node: JSONDocument.Node?) -> [String?] { (node?.object ?? []).map(\.key) }
    let first = try #require(try JSONDocument(parsing: json).root["compare"]?.array?.first)
    #expect(keys(first) == required("compare"))
    #expect(keys(first["a"]) == required("compareSide"))
    #expect(keys(first["metrics"]?.array?.first) == required("compareMetric"))
    #expect(keys(first["metrics"]?.array?.first?["a"]) == required("compareShare"))
  }

  @Test func theCSVHasALinePerMetricAndNamesItsSides() throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.empty("B")))
    let lines = try CSVReader.read(ReportRenderer.render(Self.report([row]), as: .csv))
    #expect(lines[0] == Self.header)
    #expect(lines.count == 1 + row.metrics.count)
    #expect(lines.allSatisfy { $0.count == Self.header.count })
    let conversion = Dictionary(uniqueKeysWithValues: zip(Self.header, lines[1]))
    #expect(conversion["a_label"] == "A" && conversion["a_entered"] == "500" && conversion["b_label"] == "B")
    #expect(conversion["a_count"] == "264" && conversion["a_rate"] == "0.528" && conversion["b_rate"] == "")
    #expect(conversion["difference"] == "" && conversion["test"] == "" && conversion["p_holm"] == "")
  }

  private static let header = [
    "app", "flow", "version", "dimension", "a_label", "a_entered", "b_label", "b_entered", "sample_ratio_chi2",
    "sample_ratio_p", "sample_ratio_suspect", "metric", "label", "a_count", "a_of", "a_rate", "a_rate_ci95_low",
    "a_rate_ci95_high", "b_count", "b_of", "b_rate", "b_rate_ci95_low", "b_rate_ci95_high", "difference",
    "difference_ci95_low", "difference_ci95_high", "lift", "test", "p", "p_holm", "needed_per_side", "as_of", "since", "until",
  ]

  // MARK: - For people

  private static let sentences: [(a: ComparisonSide, b: ComparisonSide, sentence: String)] = [
    (
      side("A", 500, 264), side("B", 480, 279),
      "B converts 5.3 points more than A (0.9 less to 11.5 more), p = 0.09 before and 0.56 after Holm: this may be chance; "
        + "1,367 a side would show it"
    ),
    (
      side("A", 500, 264), side("B", 480, 229),
      "B converts 5.1 points less than A (11.3 less to 1.2 more), p = 0.11 before and 0.67 after Holm: this may be chance; "
        + "1,513 a side would show it"
    ),
    (
      side("A", 500, 264), side("B", 480, 286),
      "B converts 6.8 points more than A (0.6 to 12.9), p = 0.03 before and 0.19 after Holm: not yet enough; "
        + "839 a side would show it"
    ),
    (side("A", 500, 264), side("B", 500, 264), "B and A convert alike, 52.8 % each"),
    (side("A", 5, 0), side("B", 5, 0), "B and A convert alike, 0 % each"),
    (side("A", 5000, 2500), side("B", 5001, 2501), "B and A convert alike, 50.0 % of B (1.9 less to 2.0 more)"),
    (side("A", 10, 5), empty("B"), "Nothing to test: B has no group whose window has closed"),
    (empty("A"), side("B", 10, 5), "Nothing to test: A has no group whose window has closed"),
    (
      side("A", 500, 200), side("B", 500, 300),
      "B converts 20.0 points more than A (13.8 to 25.9), p < 0.001 before and <0.001 after Holm: more than chance"
    ),
    (
      side("A", 500, 300), side("B", 500, 200),
      "B converts 20.0 points less than A (13.8 to 25.9), p < 0.001 before and <0.001 after Holm: more than chance"
    ),
  ]

  @Test(arguments: sentences)
  func conversionIsSummedUpInOneSentence(_ a: ComparisonSide, _ b: ComparisonSide, _ sentence: String) throws {
    let row = try #require(Self.row(a, b))
    #expect(ComparisonText.conversion(of: row, isClosedOnly: true) == sentence)
  }

  @Test func withOpenGroupsTooNobodyEntered() throws {
    let row = try #require(Self.row(Self.side("A", 10, 5), Self.empty("B")))
    #expect(ComparisonText.conversion(of: row, isClosedOnly: false) == "Nothing to test: no group of B entered")
  }

  @Test func sizesThatAreNotAsMeantAreToldBeforeAnythingElse() throws {
    let row = try #require(Self.row(Self.side("A", 5000, 2640), Self.side("B", 4200, 2400)))
    let warning =
      "A has 5,000 groups and B 4,200 where 50:50 was meant: chi² 69.57, p < 0.001. Find out why before you trust the rest"
    #expect(ComparisonText.warning(of: row) == warning)
    let text = try ReportRenderer.render(
      Self.report([row]), as: .table, style: TableStyle(width: 160, color: false, isPlain: false))
    let lines = text.split(separator: "\n")
    #expect(lines[2] == "  ! \(warning).", "\(text)")
    #expect(text.contains("more than chance; but the sizes of the sides are suspect."))
    #expect(
      try ReportRenderer.render(Self.report([row]), as: .markdown).contains(
        "\n> **\(warning.replacing("<", with: "&lt;")).**\n"))
    let meant = try #require(
      Self.row(Self.side("A", 5000, 2640), Self.side("B", 4200, 2400), ratio: SideRatio("25:21")))
    #expect(ComparisonText.warning(of: meant) == nil)
  }

  @Test(arguments: [
    ("50:50", true), ("1:2", true), ("0.5:0.25", true), ("1", false), ("1:", false), (":1", false), ("0:1", false),
    ("1:2:3", false), ("-1:2", false), ("nan:1", false), ("0x1:1", false), ("1e3:1", false), ("1:1000001", false), ("", false),
  ])
  func aRatioIsTwoPositiveNumbers(_ text: String, _ isRatio: Bool) {
    #expect((SideRatio(text) != nil) == isRatio)
    if isRatio { #expect(SideRatio(text)?.description == text) }
  }

  @Test(arguments: [
    (0.0001, "<0.001"), (0.001, "0.001"), (0.0094, "0.009"), (0.0096, "0.01"), (0.03, "0.03"), (0.0497, "0.050"),
    (0.0521, "0.052"), (0.12, "0.12"), (0.994, "0.99"), (0.996, "1"), (1, "1"),
  ])
  func aProbabilityHasTheDigitsThatMatter(_ p: Double, _ text: String) {
    #expect(HumanNumbers.probability(p) == text)
  }

  @Test(arguments: [(0.053, "+5.3"), (-0.053, "-5.3"), (0, "0.0"), (0.0001, "0.0"), (-0.0001, "0.0"), (1, "+100.0")])
  func aDifferenceIsInPoints(_ difference: Double, _ text: String) {
    #expect(HumanNumbers.points(difference) == text)
  }
}

// MARK: - Hand-made sides

extension CompareReportTests {
  /// Returns a side with groups that entered and completed, four fifths of which reached the step `photos` if they can have.
  static func side(
    _ label: String, _ entered: Int, _ completed: Int, steps: [String] = ["photos", "done"]
  ) -> ComparisonSide {
    let key = SampleReports.key("cleaner", "permissions_flow")
    func reached(_ id: String) -> Int { id == steps.last ? completed : max(completed, min(entered, 400)) }
    let row = FunnelRow(
      key: key, title: "Permissions", windowMilliseconds: 604_800_000, entered: entered, completed: completed, inProgress: 0,
      dropped: entered - completed,
      steps: steps.map { FunnelStepRow(id: $0, label: $0.capitalized, isOptional: false, reached: reached($0)) })
    let grants = SampleReports.grant("photos", prompted: 400, granted: 200, limited: 20, denied: 100, skipped: 80)
    return ComparisonSide(
      label: label, steps: steps.map { .init(id: $0, label: $0.capitalized) }, permissions: ["photos"], funnel: [row],
      grants: [grants])
  }

  /// Returns a side that nobody entered.
  static func empty(_ label: String) -> ComparisonSide {
    ComparisonSide(
      label: label, steps: [.init(id: "photos", label: "Photos"), .init(id: "done", label: "Done")], permissions: ["photos"],
      funnel: [], grants: [])
  }

  static func random(_ label: String, _ random: inout SeededGenerator) -> ComparisonSide {
    let entered = Int.random(in: 1...1000, using: &random)
    return side(label, entered, Int.random(in: 0...entered, using: &random))
  }

  static func row(
    _ a: ComparisonSide, _ b: ComparisonSide, version: Int? = 1, ratio: SideRatio? = .even
  ) -> ComparisonRow? {
    ComparisonRow(
      key: RowKey(app: "cleaner", flow: "permissions_flow", version: version, segment: []), title: "Permissions",
      dimension: version == nil ? "version" : "ctx.variant", a: a, b: b, ratio: ratio)
  }

  static func share(_ counts: (Int, Int)) -> ComparedShare? { ComparedShare(counts.0, of: counts.1) }

  static func report(_ rows: [ComparisonRow]) -> Report {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.context("variant")]
    query.isMature = true
    var report = Report(query: query)
    report.answers = [Answer<CompareReport>(rows: rows)]
    return report
  }

  private static let goldenJSON = #"""
    {
      "query":{"since":null,"until":null,"now":"2026-11-21T06:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,"by":["ctx.variant"],"where":[],"mature":true},
      "compare":[
        {"app":"cleaner","flow":"permissions_flow","version":1,"dimension":"ctx.variant","a":{"label":"A","entered":4},"b":{"label":"B","entered":0},"sample_ratio":{"chi2":4,"p":0.04550026389635844,"suspect":false},"metrics":[
          {"metric":"conversion","label":"Conversion","a":{"count":1,"of":4,"rate":0.25,"rate_ci95":[0.04558726080970055,0.6993581574175981]},"b":{"count":0,"of":0,"rate":null,"rate_ci95":null},"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null},
          {"metric":"reached:done","label":"Reached: Done","a":null,"b":{"count":0,"of":0,"rate":null,"rate_ci95":null},"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null},
          {"metric":"reached:photos","label":"Reached: Photos","a":{"count":1,"of":4,"rate":0.25,"rate_ci95":[0.04558726080970055,0.6993581574175981]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null},
          {"metric":"grant_rate:photos","label":"Grant rate: photos","a":{"count":200,"of":400,"rate":0.5,"rate_ci95":[0.451234504169709,0.548765495830291]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null},
          {"metric":"access_rate:photos","label":"Access rate: photos","a":{"count":220,"of":400,"rate":0.55,"rate_ci95":[0.5010009985806122,0.5980477719859582]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null},
          {"metric":"dialog_grant_rate:photos","label":"In dialog: photos","a":{"count":200,"of":320,"rate":0.625,"rate_ci95":[0.5707688455023089,0.6762656147898637]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"needed_per_side":null}
        ]}
      ]
    }

    """#
}
