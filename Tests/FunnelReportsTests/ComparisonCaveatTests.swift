import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports

/// Reasons why two sides can't be compared fairly: with one, no verdict says that a test may be stopped.
@Suite struct ComparisonCaveatTests {
  private func row(
    _ a: ComparisonSide, _ b: ComparisonSide, by: ComparedBy = .key(.context("variant")), noun: CountedNoun = .people,
    settings: ComparisonSettings = ComparisonSettings(), _ change: (inout FlowComparison.Context) -> Void = { _ in }
  ) throws -> ComparisonRow {
    var context = FlowComparison.Context()
    change(&context)
    let flow = FlowComparison(
      key: SampleReports.key("cleaner", "permissions_flow"), title: "Permissions", by: by, noun: noun, sides: [a, b],
      context: context)
    return try #require(flow.rows(settings).first)
  }

  private let better = "B is better, and you may stop looking"
  private let unfair = "B looks better, but this is no fair comparison"

  private func side(_ label: String, _ completed: Int, _ days: (String, String)) -> ComparisonSide {
    var side = CompareReportTests.side(label, 1000, completed)
    side.enteredByDay = CompareReportTests.spread(1000, days.0, days.1)
    return side
  }

  @Test func `sides of the same days have a verdict`() throws {
    let days = ("2026-11-01", "2026-11-20")
    let row = try row(side("A", 300, days), side("B", 500, days))
    #expect(row.caveats.isEmpty)
    #expect(ComparisonText.verdict(of: row) == better)
  }

  @Test func `a side that began later is compared on the days of both`() throws {
    let row = try row(side("A", 300, ("2026-11-01", "2026-11-20")), side("B", 500, ("2026-11-11", "2026-11-20")))
    #expect(ComparisonText.verdict(of: row) == unfair)
    let caveat = try #require(row.caveats.first?.text)
    #expect(caveat.hasPrefix("50.0 % of A entered on days on which nobody entered B"), "\(caveat)")
    #expect(caveat.contains("--since 2026-11-11 compares"), "\(caveat)")
  }

  @Test func `sides without a common day have nothing that could be compared`() throws {
    let row = try row(side("A", 300, ("2026-11-01", "2026-11-10")), side("B", 500, ("2026-11-11", "2026-11-20")))
    let caveat = try #require(row.caveats.first?.text)
    #expect(caveat.hasPrefix("100 % of A entered on days on which nobody entered B"), "\(caveat)")
    #expect(!caveat.contains("--since"), "\(caveat)")
  }

  @Test func `a side that is rolled out slowly has another mix of days`() throws {
    var (a, b) = (side("A", 300, ("2026-11-01", "2026-11-10")), side("B", 500, ("2026-11-01", "2026-11-10")))
    for (index, day) in a.enteredByDay.keys.sorted().enumerated() {
      a.enteredByDay[day] = 190 - 20 * index
      b.enteredByDay[day] = 10 + 20 * index
    }
    #expect(try row(a, b).caveats.first?.text.contains("--stratify day") == true)
    var settings = ComparisonSettings()
    settings.strata = .day
    // Strata of days take the difference out.
    #expect(ComparisonCaveat.all(of: ComparedPair(a: a, b: b, flow: try flow(a, b), settings: settings)).isEmpty)
  }

  private func flow(_ a: ComparisonSide, _ b: ComparisonSide) throws -> FlowComparison {
    FlowComparison(
      key: SampleReports.key("cleaner", "permissions_flow"), title: "", by: .key(.context("variant")), noun: .people,
      sides: [a, b])
  }

  @Test func `who finished in another order may decide`() throws {
    let days = ("2026-11-01", "2026-11-20")
    var (a, b) = (side("A", 600, days), side("B", 20, days))
    b.funnel[0].finishedOutOfOrder = 570
    let row = try row(a, b)
    #expect(ComparisonText.verdict(of: row) == "A looks better, but this is no fair comparison")
    let caveat = try #require(row.caveats.first?.text)
    #expect(caveat.hasPrefix("570 people in B reached the last step in another way"), "\(caveat)")
    #expect(caveat.contains("With them B converts 59.0 % and A 60.0 %"), "\(caveat)")
    // A permission's rate is of those who were asked, whatever their order was.
    var settings = ComparisonSettings()
    settings.primaryMetric = "grant_rate:photos"
    #expect(try self.row(a, b, settings: settings).caveats.isEmpty)
    a.funnel[0].finishedOutOfOrder = 10
    b = side("B", 800, days)
    #expect(try self.row(a, b).caveats.isEmpty)
  }

  @Test func `attempts of one person are alike`() throws {
    let days = ("2026-11-01", "2026-11-20")
    let row = try row(side("A", 300, days), side("B", 500, days), noun: .attempts)
    #expect(ComparisonText.verdict(of: row) == unfair)
    #expect(row.caveats.first?.text.contains("--count-by person") == true)
  }

  @Test func `more attempts of one side are no wrong ratio of people`() throws {
    var settings = ComparisonSettings()
    settings.ratio = .even
    let (a, b) = (CompareReportTests.side("A", 5000, 2640), CompareReportTests.side("B", 4200, 2400))
    #expect(ComparisonText.warning(of: try row(a, b, settings: settings)) != nil)
    #expect(ComparisonText.warning(of: try row(a, b, noun: .attempts, settings: settings)) == nil)
  }

  @Test func `strata of a later step never overturn the verdict`() throws {
    func verdict(_ strata: Dimension) throws -> String {
      var settings = ComparisonSettings()
      settings.strata = strata
      var (a, b) = (CompareReportTests.side("A", 0, 0), CompareReportTests.side("B", 0, 0))
      (a.grants, b.grants) = ([], [])
      a.funnel = [CompareReportTests.stratum("deep", 200, 160), CompareReportTests.stratum("flat", 800, 160)]
      b.funnel = [CompareReportTests.stratum("deep", 800, 640), CompareReportTests.stratum("flat", 200, 40)]
      return ComparisonText.verdict(of: try row(a, b, settings: settings))
    }
    #expect(try verdict(.context("os")) == "No clear difference within ctx.os")
    #expect(try verdict(.step(id: "photos", .property("depth"))) == better)
  }

  @Test func `with strata the verdict is about the difference within them`() throws {
    var settings = ComparisonSettings()
    settings.strata = .context("os")
    var a = CompareReportTests.side("A", 0, 0)
    var b = CompareReportTests.side("B", 0, 0)
    a.grants = []
    b.grants = []
    // The mix makes most of the difference. The rest of it is chance, but does not contradict the pooled difference.
    a.funnel = [CompareReportTests.stratum("ios", 1500, 1050), CompareReportTests.stratum("web", 1500, 450)]
    b.funnel = [CompareReportTests.stratum("ios", 1620, 1153), CompareReportTests.stratum("web", 1380, 431)]
    let row = try row(a, b, settings: settings)
    #expect(row.primary?.isSignificant == true && ComparisonText.strataWarning(of: row) == nil)
    #expect(ComparisonText.verdict(of: row) == "No clear difference within ctx.os")
    b.funnel = [CompareReportTests.stratum("ios", 1500, 1150), CompareReportTests.stratum("web", 1500, 550)]
    let better = try self.row(a, b, settings: settings)
    #expect(ComparisonText.verdict(of: better) == "B is better on average within ctx.os, if this was the one look you planned")
  }

  @Test func `sides that take turns have no common day, whatever the strata`() throws {
    var a = side("A", 400, ("2026-11-02", "2026-11-15"))
    var b = side("B", 500, ("2026-11-02", "2026-11-15"))
    a.enteredByDay = a.enteredByDay.filter { $0.key.daysSinceEpoch % 2 == 0 }
    b.enteredByDay = b.enteredByDay.filter { $0.key.daysSinceEpoch % 2 == 1 }
    var settings = ComparisonSettings()
    for strata in [nil, .day] as [Dimension?] {
      settings.strata = strata
      let caveat = try #require(
        ComparisonCaveat.all(of: ComparedPair(a: a, b: b, flow: try flow(a, b), settings: settings)).first?.text)
      #expect(caveat.hasPrefix("100 % of A entered on days on which nobody entered B, so"), "\(caveat)")
      #expect(!caveat.contains("--since"), "\(caveat)")
    }
  }

  @Test func `periods with other shares of weekends`() throws {
    var (a, b) = (side("A", 300, ("2026-11-02", "2026-11-15")), side("B", 500, ("2026-11-16", "2026-11-29")))
    #expect(try row(a, b, by: .period).caveats.isEmpty)
    for day in b.enteredByDay.keys where day.isoWeekday > 5 { b.enteredByDay[day] = 8 }
    let caveat = try #require(try row(a, b, by: .period).caveats.first?.text)
    #expect(caveat.contains("--stratify weekday compares people of the same day of the week"), "\(caveat)")
    a.enteredByDay = a.enteredByDay.filter { $0.key.isoWeekday < 6 }
    b.enteredByDay = b.enteredByDay.filter { $0.key.isoWeekday < 6 }
    #expect(try row(a, b, by: .period).caveats.isEmpty)
  }

  @Test func `without a clear difference an unfair comparison promises nothing`() throws {
    var (a, b) = (side("A", 400, ("2026-11-01", "2026-11-20")), side("B", 405, ("2026-11-11", "2026-11-20")))
    #expect(ComparisonText.verdict(of: try row(a, b)) == "No clear difference, but this is no fair comparison")
    // Strata of weeks leave the days before Wednesday, on which nobody entered B.
    b.enteredByDay = CompareReportTests.spread(1000, "2026-11-04", "2026-11-07")
    a.enteredByDay = CompareReportTests.spread(1000, "2026-11-02", "2026-11-07")
    var settings = ComparisonSettings()
    settings.strata = .week
    let caveats = ComparisonCaveat.all(of: ComparedPair(a: a, b: b, flow: try flow(a, b), settings: settings)).map(\.text)
    #expect(caveats.first?.contains("--since 2026-11-04 compares the days that both have") == true, "\(caveats)")
    // Weeks without the other side do not count for strata of weeks.
    a.enteredByDay = CompareReportTests.spread(1000, "2026-10-19", "2026-11-08")
    b.enteredByDay = CompareReportTests.spread(1000, "2026-11-02", "2026-11-08")
    #expect(ComparisonCaveat.all(of: ComparedPair(a: a, b: b, flow: try flow(a, b), settings: settings)).isEmpty)
  }

  @Test func `values that come later leave out those who left before`() throws {
    let days = ("2026-11-01", "2026-11-20")
    let (a, b) = (side("A", 300, days), side("B", 500, days))
    let late = try row(a, b) { context in
      context.takesLaterValues = true
      context.withLaterValue = 900
      context.withoutValue = 200
      context.wholeFlow = ComparedShare(800, of: 2000)
    }
    #expect(ComparisonText.verdict(of: late) == unfair)
    #expect(late.caveats.first?.text.hasPrefix("900 of 2,000 people got their ctx.variant only after the first step") == true)
    // If everybody gets a value in the end, nobody is left out.
    let complete = try row(a, b) { context in
      context.takesLaterValues = true
      context.withLaterValue = 900
      context.wholeFlow = ComparedShare(800, of: 2000)
    }
    #expect(complete.caveats.isEmpty)
  }

  @Test func `a young week is not compared with an old one`() throws {
    let days = ("2026-11-01", "2026-11-20")
    var (a, b) = (side("A", 300, days), side("B", 500, days))
    a.funnel[0].inProgress = 400
    let young = try row(a, b, by: .key(.week)) { $0.countsOpenGroups = true }
    #expect(ComparisonText.verdict(of: young) == unfair)
    #expect(young.caveats.first?.text.hasPrefix("40.0 % of A and 0 % of B are still in progress") == true)
    b.funnel[0].inProgress = 400
    #expect(try row(a, b, by: .key(.week)) { $0.countsOpenGroups = true }.caveats.isEmpty)
  }

  @Test func `periods of different days of the week`() throws {
    let days = ("2026-11-01", "2026-11-20")
    let row = try row(side("A", 300, days), side("B", 500, days), by: .period) { context in
      context.differentWeekdays = .init(sameDaysEarlier: "2026-11-16..2026-11-19")
    }
    #expect(ComparisonText.verdict(of: row) == unfair)
    #expect(row.caveats.first?.text.contains("--versus 2026-11-16..2026-11-19") == true)
  }

  @Test func `a week without a weekday that the other one has`() throws {
    var (a, b) = (side("A", 300, ("2026-11-02", "2026-11-08")), side("B", 500, ("2026-11-09", "2026-11-15")))
    #expect(try row(a, b, by: .key(.week)).caveats.isEmpty)
    b.enteredByDay[CivilDate("2026-11-12")!] = nil
    for by in [ComparedBy.period, .key(.week)] {
      let row = try row(a, b, by: by)
      #expect(ComparisonText.verdict(of: row) == unfair)
      #expect(row.caveats.first?.text.hasPrefix("Nobody entered B on a Thursday, so the difference") == true)
    }
    // A day that few enter may have none by chance.
    a.enteredByDay[CivilDate("2026-11-05")!] = 9
    #expect(try row(a, b, by: .period).caveats.isEmpty)
  }

  /// The p at any look takes a normal approximation.
  @Test func `few events have no verdict for any look`() throws {
    let (a, b) = (CompareReportTests.side("A", 804, 31), CompareReportTests.side("B", 98, 0))
    var settings = ComparisonSettings()
    settings.ratio = nil
    let row = try row(a, b, settings: settings)
    #expect(row.primary?.comparison?.test == .fisher)
    #expect(!ComparisonText.verdict(of: row).contains("stop looking"))
    #expect(ComparisonText.difference(of: row)?.contains("too few for a p at any look") == true)
  }
}
