import FunnelModel
import FunnelProjections
import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport
import Testing

/// If many are in progress, the rate of the closed ones is printed beside the rate of all.
@Suite struct InProgressTests {
  @Test func aFunnelSaysHowTheClosedGroupsDid() throws {
    #expect(try lines(of: .young, "in progress") == [Self.sentence])
  }

  @Test func aTenthInProgressIsSaidAmongTheCountsAlone() throws {
    var row = FunnelRow.young
    (row.entered, row.inProgress) = (260, 26)
    #expect(try lines(of: row, "in progress").map { $0.hasSuffix("26 in progress") } == [true])
    row.inProgress = 27
    #expect(
      try lines(of: row, "in progress").map { $0.contains("27 in progress; of the 43 people whose window has closed") } == [
        true
      ])
  }

  @Test func closedGroupsThatAreFewAreMarkedAndOneIsNamedSo() throws {
    var row = FunnelRow.young
    row.closed = ClosedConversion(entered: 1, completed: 1, conversion: SampleReports.rate(1, of: 1))
    #expect(
      try lines(of: row, "in progress")
        == ["  26 in progress; of the 1 person whose window has closed 100 %* converted (95 % interval 93.8-100.0 %)"])
    #expect(try lines(of: row, "* a share") == ["* a share of fewer than 30 people: read with care"])
    row.closed = ClosedConversion()
    #expect(try lines(of: row, "in progress") == ["  26 in progress; no conversion window has closed yet"])
  }

  @Test func segmentsHaveAColumnForTheClosedGroups() throws {
    try expect(table(.youngByDay, width: 100), Self.goldenDays100)
    try expect(table(.youngByDay, width: 40), Self.goldenDays40)
  }

  @Test func withoutManyInProgressThereIsNoSuchColumn() throws {
    #expect(try !table(SampleReports.segmented, width: 200).contains("Closed"))
    #expect(try !ReportRenderer.render(SampleReports.segmented, as: .markdown).contains("Closed"))
  }

  @Test func permissionsHaveItToo() throws {
    try expect(table(.youngGrants, width: 80), Self.goldenGrants80)
  }

  @Test func grantsHaveItWhereMostWindowsAreOpenThoughAllHaveAnswered() throws {
    var report = Report.youngGrants
    report.grants?[0].closed.prompted = 10
    report.grants?[0].inProgress = 0
    #expect(try table(report, width: 80).contains("Closed"))
    let prompted = try #require(report.grants?[0].prompted)
    report.grants?[0].closed.prompted = prompted / 2
    #expect(try !table(report, width: 80).contains("Closed"))
  }

  @Test func markdownHasTheColumnsAndSaysWhatTheyAre() throws {
    try expect(ReportRenderer.render(.youngByDay, as: .markdown), Self.goldenMd)
    try expect(ReportRenderer.render(.youngGrants, as: .markdown), Self.goldenMdGrants)
  }

  @Test func aReportOfClosedGroupsSaysSo() throws {
    var report = Report.youngGrants
    report.query.isMature = true
    report.grants?[0].unprimed = nil
    let text = try table(report, width: 120)
    #expect(text.hasPrefix("as of 2026-11-21 06:00 UTC, closed windows only\n"))
    let counts = text.split(separator: "\n").first { $0.hasPrefix("  photos ") && $0.hasSuffix(" -") }
    let expected = "  photos          52       20        2       4        6           0           20          0         -"
    #expect(counts ?? "" == expected, "\(text)")
    #expect(try ReportRenderer.render(report, as: .markdown).hasPrefix("As of 2026-11-21 06:00 UTC, closed windows only.\n"))
    report.grants = []
    let hint = "  - --mature: only closed windows count\n"
    #expect(try table(report, width: 80).contains(hint))
  }

  private func expect(_ text: String, _ golden: String, location: SourceLocation = #_sourceLocation) {
    #expect(text == golden, "\(text)", sourceLocation: location)
  }

  private func table(_ report: Report, width: Int) throws -> String {
    try ReportRenderer.render(report, as: .table, style: TableStyle(width: width, color: false, isPlain: true))
  }

  private func lines(of row: FunnelRow, _ part: String) throws -> [String] {
    let text = try table(Report(query: ReportQuery(now: SampleReports.now), funnel: [row]), width: 200)
    return text.split(separator: "\n").filter { $0.contains(part) }.map(String.init)
  }

  private static let sentence =
    "  26 in progress; of the 43 people whose window has closed 55.8 % converted (95 % interval 49.6-62.1 %)"

  private static let goldenDays100 = #"""
    as of 2026-11-21 06:00 UTC, by day

    Permissions  cleaner/permissions_flow v1 ------------------------------------------------- window 1d

      Segment     Conversion                95 % interval            Closed  Entered  Completed  Dropped
      2026-11-18  #########         50.0 %    43.8-56.3 %  50.0 %  of 1,040    1,040        520      520
      2026-11-19  #########         50.0 %    43.8-56.3 %  62.5 %* of    24       60         30       28
      2026-11-20  #########         50.0 %    43.8-56.3 %       -  of     0       52         26        0

      Segment     In progress
      2026-11-18            0
      2026-11-19            2
      2026-11-20           26
      Closed: the conversion window is over, so only late events can change the result. Open: the window
      is not over yet

      Reached, of start  2026-11-18  2026-11-19  2026-11-20
      Flow started            100 %       100 %       100 %
      Flow completed         50.0 %      50.0 %      50.0 %

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenDays40 = #"""
    as of 2026-11-21 06:00 UTC, by day

    Permissions ------------------ window 1d
      cleaner/permissions_flow v1

      Segment     Conversion
      2026-11-18      50.0 %
      2026-11-19      50.0 %
      2026-11-20      50.0 %

      Segment     95 % interval
      2026-11-18    43.8-56.3 %
      2026-11-19    43.8-56.3 %
      2026-11-20    43.8-56.3 %

      Segment               Closed  Entered
      2026-11-18  50.0 %  of 1,040    1,040
      2026-11-19  62.5 %* of    24       60
      2026-11-20       -  of     0       52

      Segment     Completed  Dropped
      2026-11-18        520      520
      2026-11-19         30       28
      2026-11-20         26        0

      Segment     In progress
      2026-11-18            0
      2026-11-19            2
      2026-11-20           26
      Closed: the conversion window is over,
      so only late events can change the
      result. Open: the window is not over
      yet

      Reached, of          Flow       Flow
      start             started  completed
      2026-11-18          100 %     50.0 %
      2026-11-19          100 %     50.0 %
      2026-11-20          100 %     50.0 %

    * a share of fewer than 30 people: read
    with care

    """#

  private static let goldenGrants80 = #"""
    as of 2026-11-21 06:00 UTC

    cleaner/permissions_flow v1 ----------------------------------------------------

                                              95 %                 Access     Median
      Permission  Grant rate              interval         Closed    rate  to decide
      photos      #####        38.5 %  32.2-44.7 %  62.5 %  of 32  42.3 %      1.5 s
      contacts    #########    75.0 %  68.8-81.3 %  75.0 %* of 20  75.0 %      1.5 s

      Permission  Access rate, 95 % interval  In dialog  To decide, p90
      photos                     36.1-48.6 %    76.9 %*           4.0 s
      contacts                   68.8-81.3 %    83.3 %            4.0 s
      Grant rates are of the answers so far: until the window closes, people can
      still answer, also those counted as skipped
      Closed: the conversion window is over, so only late events can change the
      result. Open: the window is not over yet

      Answers   Prompted  Granted  Limited  Denied  Skipped  Unanswered  In progress
      photos          52       20        2       4        6           0           20
      contacts        40       30        0       6        4           0            0

      Answers   Recovered  Unprimed
      photos            0         3
      contacts          0         0

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenMd = #"""
    As of 2026-11-21 06:00 UTC, by day.

    ### Permissions: cleaner/permissions_flow v1

    | day | Window | Entered | Completed | Conversion | 95 % interval | Closed | 95 % interval | Dropped | In progress |
    | :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: |
    | 2026-11-18 | 1d | 1,040 | 520 | 50.0 % | 43.8–56.3 % | 50.0 % of 1,040 | 43.8–56.3 % | 520 | 0 |
    | 2026-11-19 | 1d | 60 | 30 | 50.0 % | 43.8–56.3 % | 62.5 %\* of 24 | 56.3–68.8 % | 28 | 2 |
    | 2026-11-20 | 1d | 52 | 26 | 50.0 % | 43.8–56.3 % | – of 0 | – | 0 | 26 |

    Closed: the conversion window is over, so only late events can change the result. Open: the window is not over yet.

    | day | Step | Reached | Of start | Of previous | Dropped | In progress | Median time | p90 | p99 |
    | :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: |
    | 2026-11-18 | Flow started | 1,040 | 100 % |  | 0 | 0 |  |  |  |
    | 2026-11-18 | Flow completed | 520 | 50.0 % | 50.0 % | 0 | 0 | – | – | – |
    | 2026-11-19 | Flow started | 60 | 100 % |  | 0 | 0 |  |  |  |
    | 2026-11-19 | Flow completed | 30 | 50.0 % | 50.0 % | 0 | 0 | – | – | – |
    | 2026-11-20 | Flow started | 52 | 100 % |  | 0 | 0 |  |  |  |
    | 2026-11-20 | Flow completed | 26 | 50.0 % | 50.0 % | 0 | 0 | – | – | – |

    \* a share of fewer than 30 people: read with care

    """#

  private static let goldenMdGrants = #"""
    As of 2026-11-21 06:00 UTC.

    ### cleaner/permissions_flow v1

    | Permission | Prompted | Granted | Limited | Denied | Skipped | Unanswered | In progress | Recovered | Unprimed | Grant rate | 95 % interval | Closed | 95 % interval | Access rate | 95 % interval | In dialog | Median time to decide | p90 | p99 |
    | :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
    | photos | 52 | 20 | 2 | 4 | 6 | 0 | 20 | 0 | 3 | 38.5 % | 32.2–44.7 % | 62.5 % of 32 | 56.3–68.8 % | 42.3 % | 36.1–48.6 % | 76.9 %\* | 1.5 s | 4.0 s | 9.0 s |
    | contacts | 40 | 30 | 0 | 6 | 4 | 0 | 0 | 0 | 0 | 75.0 % | 68.8–81.3 % | 75.0 %\* of 20 | 68.8–81.3 % | 75.0 % | 68.8–81.3 % | 83.3 % | 1.5 s | 4.0 s | 9.0 s |

    Grant rates are of the answers so far: until the window closes, people can still answer, also those counted as skipped.

    Closed: the conversion window is over, so only late events can change the result. Open: the window is not over yet.

    \* a share of fewer than 30 people: read with care

    """#
}

extension FunnelRow {
  /// A day that has not ended: half of the groups are under way.
  static var young: FunnelRow { day("2026-11-20", entered: 52, completed: 26, inProgress: 26, closed: (43, 24), segment: []) }

  static func day(
    _ day: String, entered: Int, completed: Int, inProgress: Int, closed: (entered: Int, completed: Int),
    segment: [PropertyValue]? = nil
  ) -> FunnelRow {
    FunnelRow(
      key: SampleReports.key("cleaner", "permissions_flow", 1, segment ?? [.string(day)]), title: "Permissions",
      windowMilliseconds: 86_400_000, entered: entered, completed: completed, inProgress: inProgress,
      dropped: entered - completed - inProgress, conversion: SampleReports.rate(completed, of: entered),
      closed: ClosedConversion(
        entered: closed.entered, completed: closed.completed,
        conversion: SampleReports.rate(closed.completed, of: closed.entered)),
      steps: [
        SampleReports.step(
          "start", "Flow started", reached: entered, previous: entered, start: entered, dropped: 0, inProgress: 0),
        SampleReports.step(
          "completed", "Flow completed", reached: completed, previous: entered, start: entered, dropped: 0, inProgress: 0),
      ])
  }
}

extension Report {
  /// Three days, the last of which has not ended.
  static var youngByDay: Report {
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.day]
    return Report(
      query: query,
      funnel: [
        .day("2026-11-18", entered: 1040, completed: 520, inProgress: 0, closed: (1040, 520)),
        .day("2026-11-19", entered: 60, completed: 30, inProgress: 2, closed: (24, 15)),
        .day("2026-11-20", entered: 52, completed: 26, inProgress: 26, closed: (0, 0)),
      ])
  }

  static var youngGrants: Report {
    var photos = SampleReports.grant(
      "photos", prompted: 52, granted: 20, limited: 2, denied: 4, skipped: 6, inProgress: 20, unprimed: 3)
    photos.closed = ClosedGrants(prompted: 32, granted: 20, grantRate: SampleReports.rate(20, of: 32))
    let contacts = SampleReports.grant("contacts", prompted: 40, granted: 30, limited: 0, denied: 6, skipped: 4)
    return Report(query: ReportQuery(now: SampleReports.now), grants: [photos, contacts])
  }
}
