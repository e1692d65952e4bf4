import FunnelModel
import FunnelProjections
import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport
import Testing

/// Groups counted as dropped at a required step may have been on another step last.
@Suite struct LastStepTests {
  @Test func theTableNamesTheOtherStepsBelowTheirs() throws {
    let table80 = try table(Self.report, width: 80)
    #expect(table80 == Self.goldenTable80, "\(table80)")
  }

  @Test func inFewColumnsTheSharesFollowBelow() throws {
    let table40 = try table(Self.report, width: 40)
    #expect(table40 == Self.goldenTable40, "\(table40)")
  }

  @Test func markdownNamesThemToo() throws {
    let text = try ReportRenderer.render(Self.report, as: .markdown)
    #expect(text == Self.goldenMd, "\(text)")
  }

  @Test func segmentsHaveAMatrixOfThem() throws {
    var second = Self.row
    second.key.segment = [.string("B")]
    second.steps[0].lastSteps = [
      LastStep(id: "invite", label: "Invite", groups: 90), LastStep(id: "terms", label: "Terms", groups: 270),
    ]
    var first = Self.row
    first.key.segment = [.string("A")]
    var query = ReportQuery(now: SampleReports.now)
    query.by = [.context("variant")]
    let text = try table(Report(query: query, dropoff: [first, second]), width: 80)
    #expect(
      text.hasSuffix(
        """
          Last seen on, of dropped       A        B
          Welcome, then Invite      46.1 %   25.0 %
          Welcome, then Terms          0 %   75.0 %
          Sign up, then Invite      33.3 %*  33.3 %*

        * a share of fewer than 30 people: read with care

        """), "\(text)")
  }

  @Test func whereNobodyWasElsewhereThereIsNoSuchRow() throws {
    var row = Self.row
    for index in row.steps.indices {
      row.steps[index].lastSteps = row.steps[index].lastSteps.filter { $0.id == row.steps[index].id }
    }
    let report = Report(query: ReportQuery(now: SampleReports.now), dropoff: [row])
    #expect(try !table(report, width: 80).contains("last on"))
    #expect(try !ReportRenderer.render(report, as: .markdown).contains("last on"))
  }

  private func table(_ report: Report, width: Int) throws -> String {
    try ReportRenderer.render(report, as: .table, style: TableStyle(width: width, color: false, isPlain: true))
  }

  private static let report = Report(query: ReportQuery(now: SampleReports.now), dropoff: [row])

  /// Of the 360 groups dropped at the first step, 166 were on an optional step last, and 40 had ended. The second step has no
  /// dwell time.
  private static let row = DropoffRow(
    key: SampleReports.key("todo", "onboarding"), title: "Onboarding", entered: 1000, dropped: 372,
    steps: [
      DropoffStepRow(
        id: "welcome", label: "Welcome", dropped: 360, shareOfEntered: 0.36, shareOfReached: 0.36,
        reached: 1000, inProgress: 0, closed: ClosedDropoff(reached: 1000, dropped: 360), lostCompletions: 353.25,
        exits: [10, 0, 0, 0, 310, 40],
        lastSteps: [
          LastStep(id: "welcome", label: "Welcome", groups: 194), LastStep(id: "invite", label: "Invite", groups: 166),
        ],
        dwell: Quantiles(p50: 2000, p90: 61_000, p99: 600_000)),
      DropoffStepRow(
        id: "sign_up", label: "Sign up", dropped: 12, shareOfEntered: 0.012, shareOfReached: 12.0 / 640,
        reached: 640, closed: ClosedDropoff(reached: 640, dropped: 12), lostCompletions: 12,
        exits: [0, 0, 0, 0, 12, 0],
        lastSteps: [LastStep(id: "sign_up", label: "Sign up", groups: 8), LastStep(id: "invite", label: "Invite", groups: 4)]),
    ])

  private static let goldenTable80 = #"""
    as of 2026-11-21 06:00 UTC

    Onboarding  todo/onboarding v1 -------------------------------------------------
      372 of 1,000 people dropped, 0 in progress

                                 of      of                                   Median
      Dropped at            reached   start  Dropped  How they left             stay
      Welcome                36.0 %  36.0 %      360  310 left, 40 ended,      2.0 s
                                                      10 skipped
        last seen on                             166  46.1 % of them
        Invite
      Sign up                 1.9 %   1.2 %       12  12 left                      -
        last seen on                               4  33.3 %* of them
        Invite

      Dropped at  Lost completions  Stay p90
      Welcome                  353   1 m 1 s
      Sign up                   12         -

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenTable40 = #"""
    as of 2026-11-21 06:00 UTC

    Onboarding  todo/onboarding v1 ---------
      372 of 1,000 people dropped
      0 in progress

      Dropped at        of reached  Dropped
      Welcome               36.0 %      360
        last seen on                    166
        Invite
      Sign up                1.9 %       12
        last seen on                      4
        Invite

      Dropped at  of start
      Welcome       36.0 %
      Sign up        1.2 %

      Dropped at        How they left
      Welcome           310 left, 40 ended,
                        10 skipped
        last seen on    46.1 % of them
        Invite
      Sign up           12 left
        last seen on    33.3 %* of them
        Invite

                  Lost com-  Median
      Dropped at   pletions    stay
      Welcome           353   2.0 s
      Sign up            12       -

      Dropped at  Stay p90
      Welcome      1 m 1 s
      Sign up            -

    * a share of fewer than 30 people: read
    with care

    """#

  private static let goldenMd = #"""
    As of 2026-11-21 06:00 UTC.

    ### Onboarding: todo/onboarding v1

    | Dropped at | How they left | Dropped | Of reached | Of start | Lost completions | Median stay | p90 | p99 |
    | :-- | :-- | --: | --: | --: | --: | --: | --: | --: |
    | Welcome | 310 left, 40 ended, 10 skipped | 360 | 36.0 % | 36.0 % | 353 | 2.0 s | 1 m 1 s | 10 m |
    | ↳ last seen on Invite | 46.1 % of them | 166 |  |  |  |  |  |  |
    | Sign up | 12 left | 12 | 1.9 % | 1.2 % | 12 | – | – | – |
    | ↳ last seen on Invite | 33.3 %\* of them | 4 |  |  |  |  |  |  |

    \* a share of fewer than 30 people: read with care

    """#
}
