import Foundation
import FunnelModel
import FunnelProjections
import FunnelTestSupport
import Testing

@testable import FunnelRendering
@testable import FunnelReports

/// The rows of `funnel compare` from the rows of two sides, and how they are written.
@Suite struct CompareReportTests {
  // MARK: - Rows

  @Test func `the metrics are conversion, the steps between, and two rates of each permission, or three`() throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.side("B", 480, 279)))
    #expect(
      row.metrics.map(\.name) == [
        "conversion", "reached:photos", "grant_rate:photos", "access_rate:photos", "dialog_grant_rate:photos",
      ])
    #expect(row.metrics.map(\.a) == [(264, 500), (400, 500), (200, 400), (220, 400), (200, 320)].map(Self.share))
    #expect(row.metrics.map(\.b) == [(279, 480), (400, 480), (200, 400), (220, 400), (200, 320)].map(Self.share))
    #expect(row.metrics.map(\.isPrimary) == [true, false, false, false, false])
  }

  @Test func `access is listed only where a side has it without a grant, or where it was asked for`() throws {
    func names(_ limited: (Int, Int), metric: String = "conversion") throws -> [String] {
      var (a, b) = (Self.side("A", 10, 5), Self.side("B", 10, 5))
      a.grants = [SampleReports.grant("photos", prompted: 9, granted: 3, limited: limited.0, denied: 3, skipped: 0)]
      b.grants = [SampleReports.grant("photos", prompted: 9, granted: 3, limited: limited.1, denied: 3, skipped: 0)]
      var settings = ComparisonSettings()
      settings.primaryMetric = metric
      return try #require(Self.rows([a, b], settings: settings).first).metrics.map(\.name)
    }
    #expect(try !names((0, 0)).contains("access_rate:photos"))
    #expect(try names((1, 0)).contains("access_rate:photos"))
    #expect(try names((0, 1)).contains("access_rate:photos"))
    #expect(try names((0, 0), metric: "access_rate:photos").contains("access_rate:photos"))
  }

  @Test func `a step or a permission that one side lacks is null there and has no test`() throws {
    var newer = Self.side("v2", 100, 50, steps: ["start", "photos", "people", "done"])
    newer.permissions = ["photos", "contacts"]
    var older = Self.side("v1", 100, 40, steps: ["start", "intro", "photos", "done"])
    older.permissions = []
    let row = try #require(Self.row(older, newer, by: .version, ratio: nil))
    #expect(
      row.metrics.map(\.name) == [
        "conversion", "reached:intro", "reached:photos", "reached:people", "grant_rate:photos",
        "access_rate:photos", "dialog_grant_rate:photos", "grant_rate:contacts", "dialog_grant_rate:contacts",
      ])
    #expect(row.metrics.map { $0.a == nil } == [false, false, false, true, true, true, true, true, true])
    #expect(row.metrics.map { $0.b == nil } == [false, true, false, false, false, false, false, false, false])
    for metric in row.metrics {
      let isTested = metric.a?.rate != nil && metric.b?.rate != nil
      #expect((metric.comparison != nil) == isTested && (metric.holmP != nil) == isTested, "\(metric.name)")
      #expect((metric.neededPerSide != nil) == isTested, "\(metric.name)")
    }
    #expect(row.sizes == nil)
  }

  @Test func `a permission that nobody was asked for is listed without a rate`() throws {
    var (a, b) = (Self.side("A", 10, 5), Self.side("B", 10, 5))
    a.grants = []
    let metric = try #require(Self.row(a, b)?.metrics.first { $0.name == "grant_rate:photos" })
    #expect(metric.a == ComparedShare(0, of: 0) && metric.a?.rate == nil)
    #expect(metric.comparison == nil && metric.holmP == nil)
    b.grants = []
    #expect(Self.row(a, b)?.metrics.count == 4)
  }

  @Test func `a side without anybody is shown as long as the other has some, in progress or not`() throws {
    let row = try #require(Self.row(Self.side("A", 10, 5), Self.empty("B")))
    #expect(row.b.entered == 0 && row.metrics.allSatisfy { $0.comparison == nil })
    #expect(Self.row(Self.empty("A"), Self.empty("B")) == nil)
    var waiting = Self.empty("B")
    waiting.inProgress = 3
    #expect(Self.row(Self.empty("A"), waiting) != nil)
  }

  @Test func `the counts of several rows of a side add up`() throws {
    let one = Self.side("1", 100, 40)
    var both = one
    both.funnel += one.funnel
    both.grants += one.grants
    let row = try #require(Self.row(one, both))
    for metric in row.metrics {
      #expect(metric.b?.count == metric.a.map { 2 * $0.count } && metric.b?.total == metric.a.map { 2 * $0.total })
    }
  }

  // MARK: - Several sides

  @Test func `each side but the baseline has a row, and all sides together a test`() throws {
    let rows = Self.rows([Self.side("A", 500, 200), Self.side("B", 500, 230), Self.side("C", 500, 260)])
    #expect(rows.map(\.a.label) == ["A", "A"] && rows.map(\.b.label) == ["B", "C"])
    let overall = try #require(rows[0].overall)
    #expect(overall == HomogeneityTest([(200, of: 500), (230, of: 500), (260, of: 500)]))
    #expect(rows[1].overall == overall)
    #expect(Self.row(Self.side("A", 500, 200), Self.side("B", 500, 230))?.overall == nil)
  }

  @Test func `the primary metric is corrected for the pairs, all others of the flow together`() throws {
    let rows = Self.rows([Self.side("A", 500, 200), Self.side("B", 500, 230), Self.side("C", 500, 260)])
    let primary = rows.compactMap(\.primary)
    #expect(primary.compactMap(\.holmP) == HolmCorrection.adjusted(primary.compactMap { $0.comparison?.p }))
    let others = rows.flatMap(\.metrics).filter { !$0.isPrimary }
    #expect(others.compactMap(\.holmP) == HolmCorrection.adjusted(others.compactMap { $0.comparison?.p }))
    let alone = try #require(Self.row(Self.side("A", 500, 200), Self.side("B", 500, 230))?.primary)
    #expect(alone.holmP == alone.comparison?.p)
  }

  // MARK: - Sample size

  @Test func `the sizes needed are for the change that was chosen, not for the one that was seen`() throws {
    var settings = ComparisonSettings()
    settings.change = 0.02
    let (a, b) = (Self.side("A", 500, 150), Self.side("B", 500, 300))
    let metric = try #require(Self.rows([a, b], settings: settings).first?.primary)
    #expect(metric.neededPerSide == SampleSize.perSide(0.3, 0.32))
    #expect(metric.neededDays == nil)
    let other = try #require(Self.row(a, b)?.primary)
    #expect(other.neededPerSide == SampleSize.perSide(0.3, 0.35))
  }

  @Test func `the days needed are those in which all sides have so many, at the rate of the counted days`() throws {
    var (a, b) = (Self.side("A", 500, 150), Self.side("B", 300, 90))
    a.enteredByDay = Self.spread(a.entered, "2026-11-01", "2026-11-08")
    b.enteredByDay = Self.spread(b.entered, "2026-11-02", "2026-11-10")
    let metric = try #require(Self.row(a, b)?.primary)
    let needed = try #require(SampleSize.perSide(0.3, 0.35))
    // 800 came in ten days, so 80 a day to both sides.
    #expect(metric.neededDays == Int((Double(needed) * 2 / 80).rounded(.up)))
    #expect(Self.row(a, b, by: .version)?.primary?.neededDays == nil)
    #expect(Self.row(a, b, by: .period)?.primary?.neededDays == nil)
    #expect(Self.row(a, b, by: .key(.week))?.primary?.neededDays == metric.neededDays)
    // Those of a permission come at the rate of entries, too.
    let grants = try #require(Self.row(a, b)?.metrics.first { $0.name == "grant_rate:photos" })
    let asked = try #require(SampleSize.perSide(0.5, 0.55))
    #expect(grants.neededDays == Int((Double(asked) * 2 / 80).rounded(.up)))
  }

  /// Fewer people are asked for a permission than enter, and nobody enters a week that is over.
  @Test func `the verdict names days only where waiting brings enough people`() throws {
    var (a, b) = (Self.side("A", 500, 150), Self.side("B", 500, 150))
    a.enteredByDay = Self.spread(a.entered, "2026-11-01", "2026-11-08")
    b.enteredByDay = a.enteredByDay
    func verdict(_ metric: String, by: ComparedBy = .key(.context("variant"))) throws -> String {
      var settings = ComparisonSettings()
      settings.primaryMetric = metric
      return ComparisonText.verdict(of: try #require(Self.rows([a, b], by: by, settings: settings).first))
    }
    #expect(try verdict("conversion").contains(" days in all)"))
    #expect(try verdict("grant_rate:photos").contains("Detecting 5 points needs about 1,565 people per variant"))
    #expect(try !verdict("grant_rate:photos").contains(" days"))
    #expect(try !verdict("conversion", by: .key(.week)).contains(" days"))
  }

  // MARK: - Strata

  /// A stratum of a side, by its value.
  static func stratum(_ value: String, _ entered: Int, _ completed: Int) -> FunnelRow {
    var row = side("", entered, completed).funnel[0]
    row.key.segment = [.string("A"), .string(value)]
    return row
  }

  @Test func `a mix of strata that differs between the sides makes no difference within them`() throws {
    var settings = ComparisonSettings()
    settings.strata = .context("os")
    var (a, b) = (Self.side("A", 0, 0), Self.side("B", 0, 0))
    (a.grants, b.grants) = ([], [])
    // Better in both strata, and worse over all (Simpson's paradox). Visitors from Android have no A.
    a.funnel = [Self.stratum("ios", 87, 81), Self.stratum("web", 263, 192)]
    b.funnel = [Self.stratum("ios", 270, 255), Self.stratum("web", 80, 62), Self.stratum("android", 50, 1)]
    let row = try #require(Self.rows([a, b], settings: settings).first)
    let metric = try #require(row.primary)
    let stratified = try #require(metric.stratified)
    #expect(stratified.strataCount == 2 && stratified.difference > 0)
    #expect(metric.comparison.map { $0.difference < stratified.difference } == true)
    var c = b
    c.funnel = [Self.stratum("ios", 270, 234), Self.stratum("web", 80, 55)]
    let reverse = try #require(Self.rows([c, a], settings: settings).first)
    let warning = try #require(ComparisonText.strataWarning(of: reverse))
    #expect(warning.hasPrefix("On average within ctx.os: 5.4 points higher "), "\(warning)")
    #expect(Self.row(a, b)?.primary?.stratified == nil)
    #expect(try #require(Self.row(a, b)).settings.strata == nil)
  }

  @Test func `strata that say the same are no warning`() throws {
    var settings = ComparisonSettings()
    settings.strata = .context("os")
    var (a, b) = (Self.side("A", 0, 0), Self.side("B", 0, 0))
    (a.grants, b.grants) = ([], [])
    a.funnel = [Self.stratum("ios", 200, 100), Self.stratum("web", 200, 60)]
    b.funnel = [Self.stratum("ios", 200, 120), Self.stratum("web", 200, 80)]
    let row = try #require(Self.rows([a, b], settings: settings).first)
    #expect(ComparisonText.strataWarning(of: row) == nil)
    #expect(row.primary?.stratified.map { abs($0.difference - 0.1) < 1e-12 } == true)
  }

  // MARK: - Laws

  @Test(arguments: 0..<50)
  func `the sides changed round, the difference changes its sign and nothing else`(_ seed: Int) throws {
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
      #expect(comparison.anytime.p == reverse.anytime.p)
    }
  }

  @Test(arguments: 0..<50)
  func `Holm never makes a p smaller, and the primary metric has its own`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let row = try #require(Self.row(Self.random("A", &random), Self.random("B", &random)))
    #expect(row.primary?.holmP == row.primary?.comparison?.p)
    let tested = row.metrics.filter { $0.comparison != nil && !$0.isPrimary }
    for metric in tested {
      let (p, holm) = (try #require(metric.comparison?.p), try #require(metric.holmP))
      #expect(p <= holm && holm <= 1 && holm <= p * Double(tested.count) + 1e-12)
    }
    let smallest = try #require(tested.min { $0.comparison!.p < $1.comparison!.p })
    #expect(smallest.holmP == min(1, smallest.comparison!.p * Double(tested.count)))
  }

  @Test func `a side compared with itself differs in nothing`() throws {
    let side = Self.side("A", 500, 264)
    let row = try #require(Self.row(side, side))
    #expect(row.metrics.allSatisfy { $0.comparison?.difference == 0 && $0.comparison?.p == 1 && $0.holmP == 1 })
    #expect(row.metrics.allSatisfy { $0.comparison?.anytime.p == 1 && $0.neededPerSide != nil })
    #expect(row.sizes?.result.chiSquared == 0 && row.sizes?.result.isSuspect == false)
  }

  // MARK: - JSON, CSV

  @Test func `the JSON has the keys of the specification in its order`() throws {
    var b = Self.empty("B")
    b.steps = [.init(id: "start", label: "Start"), .init(id: "intro", label: "Intro"), .init(id: "done", label: "Done")]
    b.permissions = []
    let row = try #require(Self.row(Self.side("A", 4, 1, steps: ["start", "photos", "done"]), b))
    let text = try ReportRenderer.render(Self.report([row]), as: .json)
    #expect(text == Self.goldenJSON, "\(text)")
  }

  @Test func `a tested metric has all its numbers in JSON`() throws {
    var b = Self.side("B", 5, 4)
    b.permissions = []
    let row = try #require(Self.row(Self.side("A", 4, 1), b))
    let text = try ReportRenderer.render(Self.report([row]), as: .json)
    #expect(text.contains(#""difference":0.55,"difference_ci95":["#), "\(text)")
    #expect(text.contains(#"],"lift":2.2,"test":"fisher","p":0.2063"#), "\(text)")
    #expect(text.contains(#","anytime_p":0.968"#) && text.contains(#","stratified":null,"needed_per_side":1251,"#), "\(text)")
  }

  @Test func `the JSON is as the schema describes it`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Schemas/report.v1.schema.json")
    let schema = Array(try Data(contentsOf: file))
    let check = try SchemaCheck(schema: schema)
    var random = SeededGenerator(seed: 1)
    var rows = [Self.row(Self.side("A", 4, 1), Self.empty("B"))].compactMap { $0 }
    rows += (0..<20).compactMap { _ in Self.row(Self.random("A", &random), Self.random("B", &random)) }
    rows += [Self.row(Self.side("v1", 10, 5), Self.side("v2", 12, 8), by: .version, ratio: nil)].compactMap { $0 }
    rows += Self.rows([Self.side("A", 500, 200), Self.side("B", 500, 230), Self.side("C", 500, 260)])
    var settings = ComparisonSettings()
    settings.strata = .context("os")
    var (a, b) = (Self.side("A", 0, 0), Self.side("B", 0, 0))
    (a.grants, b.grants) = ([], [])
    (a.funnel, b.funnel) = ([Self.stratum("ios", 9, 4)], [Self.stratum("ios", 7, 3)])
    rows += Self.rows([a, b], settings: settings)
    let json = Array(try ReportRenderer.render(Self.report(rows), as: .json).utf8)
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

  @Test func `the CSV has a line per metric, the verdict in front, and names its sides`() throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.empty("B")))
    let lines = try CSVReader.read(ReportRenderer.render(Self.report([row]), as: .csv))
    #expect(lines[0] == Self.header)
    #expect(lines.count == 1 + row.metrics.count)
    #expect(lines.allSatisfy { $0.count == Self.header.count })
    let conversion = Dictionary(uniqueKeysWithValues: zip(Self.header, lines[1]))
    #expect(conversion["verdict"] == "Nothing to compare: nobody in B entered")
    #expect(conversion["a_label"] == "A" && conversion["a_entered"] == "500" && conversion["b_label"] == "B")
    #expect(conversion["a_count"] == "264" && conversion["a_rate"] == "0.528" && conversion["b_rate"] == "")
    #expect(conversion["difference"] == "" && conversion["test"] == "" && conversion["p_holm"] == "")
  }

  private static let header = [
    "app", "flow", "version", "verdict", "dimension", "same_age", "a_label", "a_entered", "b_label", "b_entered", "no_value",
    "mixed", "sample_ratio_chi2", "sample_ratio_p", "sample_ratio_suspect", "overall_chi2", "overall_df", "overall_p", "metric",
    "primary", "label", "a_count", "a_of", "a_rate", "a_rate_ci95_low", "a_rate_ci95_high", "b_count", "b_of", "b_rate",
    "b_rate_ci95_low", "b_rate_ci95_high", "difference", "difference_ci95_low", "difference_ci95_high", "lift", "test", "p",
    "p_holm", "anytime_p", "anytime_ci95_low", "anytime_ci95_high", "stratified_difference", "stratified_difference_ci95_low",
    "stratified_difference_ci95_high", "stratified_p", "stratified_strata", "needed_per_side", "needed_days", "as_of", "since",
    "until",
  ]

  // MARK: - For people

  private static let verdicts: [(a: ComparisonSide, b: ComparisonSide, verdict: String)] = [
    (side("A", 500, 200), side("B", 500, 300), "B is better, and you may stop looking"),
    (side("A", 500, 300), side("B", 500, 200), "A is better, and you may stop looking"),
    (
      side("A", 500, 264), side("B", 480, 286),
      "B is better if this was the one look you planned; not yet if you look every day"
    ),
    (
      side("A", 480, 286), side("B", 500, 264),
      "A is better if this was the one look you planned; not yet if you look every day"
    ),
    (
      side("A", 500, 264), side("B", 480, 279),
      "No clear difference. Detecting 5 points needs about 1,551 people per variant"
    ),
    (
      side("A", 5000, 2500), side("B", 5001, 2501),
      "No clear difference. Detecting 5 points needs about 1,565 people per variant; both have that many, so a difference that "
        + "large is unlikely"
    ),
    (side("A", 5, 0), side("B", 5, 0), "No clear difference. Detecting 5 points needs about 152 people per variant"),
    (side("A", 10, 5), empty("B"), "Nothing to compare: nobody in B entered"),
    (empty("A"), side("B", 10, 5), "Nothing to compare: nobody in A entered"),
  ]

  @Test(arguments: verdicts)
  func `the verdict is one sentence`(_ a: ComparisonSide, _ b: ComparisonSide, _ verdict: String) throws {
    let row = try #require(Self.row(a, b))
    #expect(ComparisonText.verdict(of: row) == verdict)
  }

  @Test func `with more than two sides the verdict says which one is not as good`() throws {
    let rows = Self.rows([Self.side("A", 500, 200), Self.side("B", 500, 300), Self.side("C", 500, 100)])
    #expect(
      rows.map(ComparisonText.verdict) == [
        "B is better than A, and you may stop looking", "A is better than C, and you may stop looking",
      ])
  }

  @Test func `the number of days stands beside that of people`() throws {
    var (a, b) = (Self.side("A", 500, 264), Self.side("B", 480, 279))
    a.enteredByDay = Self.spread(a.entered, "2026-11-01", "2026-11-04")
    b.enteredByDay = a.enteredByDay
    let row = try #require(Self.row(a, b))
    #expect(
      ComparisonText.verdict(of: row)
        == "No clear difference. Detecting 5 points needs about 1,551 people per variant (13 days in all)")
    let versions = try #require(Self.row(a, b, by: .version))
    #expect(
      ComparisonText.verdict(of: versions) == "No clear difference. Detecting 5 points needs about 1,551 people per version")
  }

  @Test func `where no window has closed the verdict says that`() throws {
    var (a, b) = (Self.side("A", 10, 5), Self.empty("B"))
    b.inProgress = 12
    #expect(
      ComparisonText.verdict(of: try #require(Self.row(a, b)))
        == "Nothing to compare yet: no window of B has closed. 12 people are in progress for up to 7d; --open-too counts them, "
        + "as not converted so far")
    a = Self.empty("A")
    a.inProgress = 1
    #expect(
      ComparisonText.verdict(of: try #require(Self.row(a, b))).hasPrefix(
        "Nothing to compare yet: no window of A and B has closed. 13 people are in progress for up to 7d"))
  }

  @Test func `the difference is told with its interval and both p`() throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.side("B", 480, 279)))
    #expect(
      ComparisonText.difference(of: row)
        == "Conversion: B 58.1 %, A 52.8 %, 5.3 points higher (95 % interval 0.9 lower to 11.5 higher), p = 0.09, at any look p = 0.68"
    )
  }

  @Test func `what is on no side is told with the option that helps`() throws {
    var context = FlowComparison.Context()
    (context.withoutValue, context.withOtherValue) = (200, 1)
    context.wholeFlow = ComparedShare(30, of: 400)
    var a = Self.side("A", 100, 20)
    (a.mixed, a.inProgress) = (12, 7)
    let row = try #require(Self.rows([a, Self.side("B", 99, 10)], context: context).first)
    #expect(
      ComparisonText.notes(of: row) == [
        "200 of 400 people have no ctx.variant at the first step and are left out",
        "1 person has another ctx.variant and is left out; --sides names the values that are compared",
        "12 people have more than one ctx.variant; each counts under the first; --drop-mixed leaves them out",
        "7 people are in progress and not counted yet; --open-too counts them, as not converted so far",
      ])
    context.dropsMixed = true
    let dropped = try #require(Self.rows([a, Self.side("B", 99, 10)], context: context).first)
    #expect(
      ComparisonText.notes(of: dropped)[2] == "12 people have more than one ctx.variant and are left out, as --drop-mixed says")
  }

  @Test func `a comparison by the value at a step says whom it is about`() throws {
    var context = FlowComparison.Context()
    context.withoutValue = 40
    context.wholeFlow = ComparedShare(48, of: 100)
    let row = try #require(
      Self.rows(
        [Self.side("free", 40, 30), Self.side("pro", 20, 18)], by: .key(.step(id: "plan_chosen", .property("plan"))),
        context: context
      ).first)
    #expect(
      ComparisonText.notes(of: row) == [
        "This is about the 60 of 100 people who got to step plan_chosen and have a value there; the conversion of the whole flow "
          + "is 48.0 %"
      ])
  }

  @Test func `periods of the same age say as of when the baseline was looked at`() throws {
    var context = FlowComparison.Context()
    context.sameAge = .init(baselineMoment: "2026-11-11 12:00")
    let row = try #require(
      Self.rows([Self.side("last week", 40, 30), Self.side("this week", 20, 18)], by: .period, context: context).first)
    #expect(
      ComparisonText.notes(of: row) == [
        "Both periods are compared at the same age: last week, with its events up to 2026-11-11 12:00, when it was as old as this week is "
          + "now. Everybody who had begun by then counts, in progress or not"
      ])
  }

  @Test func `sizes that are not as meant are told before anything else`() throws {
    let row = try #require(Self.row(Self.side("A", 5000, 2640), Self.side("B", 4200, 2400)))
    let warning =
      "A has 5,000 people and B has 4,200, where a ratio of 50:50 was intended: chi² 69.57, p < 0.001. Find out why before you trust anything below"
    #expect(ComparisonText.warning(of: row) == warning)
    let text = try ReportRenderer.render(
      Self.report([row]), as: .table, style: TableStyle(width: 160, color: false, isPlain: false))
    let lines = text.split(separator: "\n")
    #expect(lines[2] == "  ! \(warning).", "\(text)")
    #expect(lines[3] == "  B looks better, but this is no fair comparison.", "\(text)")
    #expect(
      try ReportRenderer.render(Self.report([row]), as: .markdown).contains(
        "\n> **\(warning.replacing("<", with: "&lt;")).**\n"))
    let meant = try #require(
      Self.row(Self.side("A", 5000, 2640), Self.side("B", 4200, 2400), ratio: SideRatio("25:21")))
    #expect(ComparisonText.warning(of: meant) == nil)
  }

  @Test(arguments: [ReportFormat.table, .markdown, .html, .csv])
  func `every format says the verdict before the numbers, and nobody is a group`(_ format: ReportFormat) throws {
    let row = try #require(Self.row(Self.side("A", 500, 264), Self.side("B", 480, 279)))
    let text = try ReportRenderer.render(Self.report([row]), as: format)
    let verdict = try #require(text.firstRange(of: "No clear difference."), "\(text)")
    let number = try #require(text.firstRange(of: format == .csv ? "0.528" : "52.8 %"), "\(text)")
    #expect(verdict.lowerBound < number.lowerBound)
    // The heading of all reports says what the query was, and a page has an attribute of that name.
    let body = text.replacing("closed windows only", with: "").replacing("role=\"group\"", with: "")
      .replacing("table-header-group", with: "")
    #expect(!body.contains("group") && !body.contains("under way"), "\(text)")
    if format != .csv { #expect(text.replacing("\n", with: " ").contains("Needed per") && text.contains("variant"), "\(text)") }
  }

  private static let keys: [(by: ComparedBy, isExperiment: Bool)] = [
    (.key(.context("variant")), true), (.key(.property("exp.Arm")), true), (.key(.context("bucket")), true),
    (.key(.step(id: "start", .context("group"))), true), (.key(.context("country")), false), (.key(.week), false),
    (.key(.context("variant_name")), false), (.version, false), (.period, false),
  ]

  @Test(arguments: keys)
  func `a ratio is meant where the key is named like an experiment`(_ by: ComparedBy, _ isExperiment: Bool) {
    #expect(by.isExperiment == isExperiment)
  }

  @Test(arguments: [
    ("50:50", true), ("1:2", true), ("0.5:0.25", true), ("1", false), ("1:", false), (":1", false), ("0:1", false),
    ("1:2:3", false), ("-1:2", false), ("nan:1", false), ("0x1:1", false), ("1e3:1", false), ("1:1000001", false), ("", false),
  ])
  func `a ratio is two positive numbers`(_ text: String, _ isRatio: Bool) {
    #expect((SideRatio(text) != nil) == isRatio)
    if isRatio { #expect(SideRatio(text)?.description == text) }
  }

  @Test(arguments: [
    (0.0001, "<0.001"), (0.001, "0.001"), (0.0094, "0.009"), (0.0096, "0.01"), (0.03, "0.03"), (0.0497, "0.050"),
    (0.0521, "0.052"), (0.12, "0.12"), (0.994, "0.99"), (0.996, "1"), (1, "1"),
  ])
  func `a probability has the digits that matter`(_ p: Double, _ text: String) {
    #expect(HumanNumbers.probability(p) == text)
  }

  @Test(arguments: [(0.053, "+5.3"), (-0.053, "-5.3"), (0, "0.0"), (0.0001, "0.0"), (-0.0001, "0.0"), (1, "+100.0")])
  func `a difference is in points`(_ difference: Double, _ text: String) {
    #expect(HumanNumbers.points(difference) == text)
  }
}

// MARK: - Hand-made sides

extension CompareReportTests {
  /// Returns entries spread evenly over the days from one to another.
  static func spread(_ entered: Int, _ first: String, _ last: String) -> [CivilDate: Int] {
    let days = CivilDate(first)!.daysSinceEpoch...CivilDate(last)!.daysSinceEpoch
    return Dictionary(
      uniqueKeysWithValues: days.enumerated().map { index, day in
        (CivilDate(daysSinceEpoch: day), entered / days.count + (index < entered % days.count ? 1 : 0))
      })
  }

  /// Returns a side with groups that entered and completed, four fifths of which reached the step `photos` if they can have.
  static func side(
    _ label: String, _ entered: Int, _ completed: Int, steps: [String] = ["start", "photos", "done"]
  ) -> ComparisonSide {
    let key = SampleReports.key("cleaner", "permissions_flow")
    func reached(_ id: String) -> Int {
      id == steps.first ? entered : id == steps.last ? completed : max(completed, min(entered, 400))
    }
    let row = FunnelRow(
      key: key, title: "Permissions", windowMilliseconds: 604_800_000, entered: entered, completed: completed, inProgress: 0,
      dropped: entered - completed,
      steps: steps.map { FunnelStepRow(id: $0, label: $0.capitalized, isOptional: false, reached: reached($0)) })
    let grants = SampleReports.grant("photos", prompted: 400, granted: 200, limited: 20, denied: 100, skipped: 80)
    return ComparisonSide(
      label: label, title: label, steps: steps.map { .init(id: $0, label: $0.capitalized) }, permissions: ["photos"],
      funnel: [row],
      grants: [grants])
  }

  /// Returns a side that nobody entered.
  static func empty(_ label: String) -> ComparisonSide {
    ComparisonSide(
      label: label, title: label, steps: ["start", "photos", "done"].map { .init(id: $0, label: $0.capitalized) },
      permissions: ["photos"],
      funnel: [], grants: [])
  }

  static func random(_ label: String, _ random: inout SeededGenerator) -> ComparisonSide {
    let entered = Int.random(in: 1...1000, using: &random)
    return side(label, entered, Int.random(in: 0...entered, using: &random))
  }

  static func rows(
    _ sides: [ComparisonSide], by: ComparedBy = .key(.context("variant")), context: FlowComparison.Context = .init(),
    settings: ComparisonSettings = .init()
  ) -> [ComparisonRow] {
    var context = context
    context.windowMilliseconds = 604_800_000
    return FlowComparison(
      key: RowKey(app: "cleaner", flow: "permissions_flow", version: by == .version ? nil : 1, segment: []),
      title: "Permissions", by: by, noun: .people, sides: sides, context: context
    ).rows(settings)
  }

  static func row(
    _ a: ComparisonSide, _ b: ComparisonSide, by: ComparedBy = .key(.context("variant")), ratio: SideRatio? = .even
  ) -> ComparisonRow? {
    var settings = ComparisonSettings()
    settings.ratio = ratio
    return rows([a, b], by: by, settings: settings).first
  }

  static func share(_ counts: (Int, Int)) -> ComparedShare? { ComparedShare(counts.0, of: counts.1) }

  static func report(_ rows: [ComparisonRow]) -> Report {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.context("variant")]
    query.isMature = true
    var report = Report(query: query)
    report.answers = [ReportRows<CompareReport>(rows: rows)]
    return report
  }

  private static let goldenJSON = #"""
    {
      "query":{"since":null,"until":null,"now":"2026-11-21T06:00:00.000Z","window_ms":null,"order":"ordered","count_by":null,"by":["ctx.variant"],"where":[],"mature":true},
      "compare":[
        {"app":"cleaner","flow":"permissions_flow","version":1,"dimension":"ctx.variant","same_age":false,"a":{"label":"A","entered":4},"b":{"label":"B","entered":0},"no_value":0,"mixed":0,"sample_ratio":{"chi2":4,"p":0.04550026389635844,"suspect":false},"overall":null,"metrics":[
          {"metric":"conversion","primary":true,"label":"Conversion","a":{"count":1,"of":4,"rate":0.25,"rate_ci95":[0.04558726080970055,0.6993581574175981]},"b":{"count":0,"of":0,"rate":null,"rate_ci95":null},"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null},
          {"metric":"reached:intro","primary":false,"label":"Reached: Intro","a":null,"b":{"count":0,"of":0,"rate":null,"rate_ci95":null},"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null},
          {"metric":"reached:photos","primary":false,"label":"Reached: Photos","a":{"count":4,"of":4,"rate":1,"rate_ci95":[0.5101091635454027,1]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null},
          {"metric":"grant_rate:photos","primary":false,"label":"Grant rate: photos","a":{"count":200,"of":400,"rate":0.5,"rate_ci95":[0.451234504169709,0.548765495830291]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null},
          {"metric":"access_rate:photos","primary":false,"label":"Access rate: photos","a":{"count":220,"of":400,"rate":0.55,"rate_ci95":[0.5010009985806122,0.5980477719859582]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null},
          {"metric":"dialog_grant_rate:photos","primary":false,"label":"In dialog: photos","a":{"count":200,"of":320,"rate":0.625,"rate_ci95":[0.5707688455023089,0.6762656147898637]},"b":null,"difference":null,"difference_ci95":null,"lift":null,"test":null,"p":null,"p_holm":null,"anytime_p":null,"anytime_ci95":null,"stratified":null,"needed_per_side":null,"needed_days":null}
        ],"verdict":"Nothing to compare: nobody in B entered"}
      ]
    }

    """#
}
