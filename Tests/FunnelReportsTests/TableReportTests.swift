import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct TableReportTests {
  @Test func inSixtyColumnsTheMostImportantColumnsStay() throws {
    let text = try ReportRenderer.render(
      SampleReports.full, as: .table, style: TableStyle(width: 60, color: false, isPlain: false))
    #expect(text == Self.goldenFull60, "\(text)")
  }

  @Test func inEightyColumnsAReportIsWholeAndReadable() throws {
    let text = try ReportRenderer.render(
      SampleReports.full, as: .table, style: TableStyle(width: 80, color: false, isPlain: false))
    #expect(text == Self.goldenFull80, "\(text)")
  }

  @Test func inAHundredAndTwentyColumnsThereIsRoomForIntervalsAndSlowTimes() throws {
    let text = try ReportRenderer.render(
      SampleReports.full, as: .table, style: TableStyle(width: 120, color: false, isPlain: false))
    #expect(text == Self.goldenFull120, "\(text)")
  }

  @Test func aFileGetsBarsInAsciiAndNoEscapes() throws {
    let text = try ReportRenderer.render(
      SampleReports.full, as: .table, style: TableStyle(width: 80, color: false, isPlain: true))
    #expect(text == Self.goldenPlain80, "\(text)")
  }

  @Test func aTerminalWithColourGetsIt() throws {
    let text = try ReportRenderer.render(
      Report(query: SampleReports.full.query, funnel: SampleReports.full.funnel), as: .table,
      style: TableStyle(width: 80, color: true, isPlain: false))
    #expect(text == Self.goldenColor80, "\(text)")
  }

  @Test func fewGroupsAreMarkedNotesExplainedAndStepsWithoutDropNamedInOneLine() throws {
    let text = try ReportRenderer.render(
      SampleReports.health, as: .table, style: TableStyle(width: 80, color: false, isPlain: false))
    #expect(text == Self.goldenHealth80, "\(text)")
  }

  @Test func aReportThatMatchedNothingSaysWhatToCheck() throws {
    let text = try ReportRenderer.render(
      Report(query: SampleReports.segmented.query, funnel: []), as: .table,
      style: TableStyle(width: 80, color: false, isPlain: false))
    #expect(text == Self.goldenNothing80, "\(text)")
  }

  private static let goldenFull60 = #"""
    as of 2026-11-21 06:00 UTC

    Permissions  cleaner/permissions_flow v1 ───────── window 7d
      1,248 entered → 780 completed
      62.5 % conversion (95 % interval 56.3–68.8 %)
      432 dropped · 36 in progress

                                            of      of
      Step             Reached           start   prev.   Dropped
      Flow started     █████████ 1,248   100 %                78
      Photo access     ████████▍ 1,158  92.8 %  92.8 %       234
      Contacts access  ██████▌     908  72.8 %  78.4 %       120
      Notifications    ░░░░        612  49.0 %  67.4 %  optional
      Flow completed   █████▋      780  62.5 %  85.9 %         0

                             In  Median      Time   Time
      Step             progress    time       p90    p99
      Flow started           12
      Photo access           16  900 ms     2.1 s  4.0 s
      Contacts access         8   4.2 s   2 m 3 s   23 h
      Notifications               5.0 s     9.1 s   10 m
      Flow completed          0    12 s  1 m 45 s  7.0 d

      Permission  Grant rate          95 % interval  Access rate
      photos      ██████▋    66.0 %     59.7–72.2 %      74.3 %
      contacts    █████▋     56.4 %     50.1–62.6 %      59.8 %
      push        █████      50.0 %*    43.8–56.3 %      50.0 %*

                   Access rate,      In      Median  To decide,
      Permission  95 % interval  dialog   to decide         p90
      photos        68.0–80.5 %  73.0 %       1.5 s       4.0 s
      contacts      53.6–66.1 %  65.4 %       1.5 s       4.0 s
      push          43.8–56.3 %  57.1 %*      1.5 s       4.0 s

      Answers   Prompted  Granted  Limited  Denied  Skipped
      photos       1,158      764       96     187       82
      contacts       908      512       31     240      117
      push            24       12        0       9        3

      Answers   Unanswered  In progress  Recovered  Unprimed
      photos            17           12         23         4
      contacts           0            8          9         0
      push               0            0          0         0

                             of
      Dropped at        reached  Dropped  How they left
      Flow started        6.3 %       78  78 left
      Photo access       20.2 %      234  180 denied, 35 left,
                                          12 skipped, 5 ended,
                                          2 went back
      Contacts access    13.2 %      120  81 denied, 30 skipped,
                                          8 left, 1 failed
        last seen on                  50  41.7 % of them
        Notifications

                           of  Lost com-   Median      Stay
      Dropped at        start   pletions     stay       p90
      Flow started      6.3 %         54        –         –
      Photo access     18.8 %        203    3.1 s     8.0 s
      Contacts access   9.6 %        120  1 h 2 m  3 h 20 m

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenFull80 = #"""
    as of 2026-11-21 06:00 UTC

    Permissions  cleaner/permissions_flow v1 ───────────────────────────── window 7d
      1,248 entered → 780 completed · 62.5 % conversion (95 % interval 56.3–68.8 %)
      432 dropped · 36 in progress

                                              of      of                  In  Median
      Step             Reached             start   prev.   Dropped  progress    time
      Flow started     ███████████ 1,248   100 %                78        12
      Photo access     ██████████▎ 1,158  92.8 %  92.8 %       234        16  900 ms
      Contacts access  ████████      908  72.8 %  78.4 %       120         8   4.2 s
      Notifications    ░░░░░         612  49.0 %  67.4 %  optional             5.0 s
      Flow completed   ██████▉       780  62.5 %  85.9 %         0         0    12 s

      Step             Time p90  Time p99
      Flow started
      Photo access        2.1 s     4.0 s
      Contacts access   2 m 3 s      23 h
      Notifications       9.1 s      10 m
      Flow completed   1 m 45 s     7.0 d

                                                   95 %  Access       In      Median
      Permission  Grant rate                   interval    rate   dialog   to decide
      photos      ██████████▌      66.0 %   59.7–72.2 %  74.3 %   73.0 %       1.5 s
      contacts    █████████        56.4 %   50.1–62.6 %  59.8 %   65.4 %       1.5 s
      push        ████████         50.0 %*  43.8–56.3 %  50.0 %*  57.1 %*      1.5 s

      Permission  Access rate, 95 % interval  To decide, p90
      photos                     68.0–80.5 %           4.0 s
      contacts                   53.6–66.1 %           4.0 s
      push                       43.8–56.3 %           4.0 s

      Answers   Prompted  Granted  Limited  Denied  Skipped  Unanswered  In progress
      photos       1,158      764       96     187       82          17           12
      contacts       908      512       31     240      117           0            8
      push            24       12        0       9        3           0            0

      Answers   Recovered  Unprimed
      photos           23         4
      contacts          9         0
      push              0         0

                                of      of                                    Median
      Dropped at           reached   start  Dropped  How they left              stay
      Flow started           6.3 %   6.3 %       78  78 left                       –
      Photo access          20.2 %  18.8 %      234  180 denied, 35 left,      3.1 s
                                                     12 skipped, 5 ended,
                                                     2 went back
      Contacts access       13.2 %   9.6 %      120  81 denied, 30 skipped,  1 h 2 m
                                                     8 left, 1 failed
        last seen on                             50  41.7 % of them
        Notifications

      Dropped at       Lost completions  Stay p90
      Flow started                   54         –
      Photo access                  203     8.0 s
      Contacts access               120  3 h 20 m

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenFull120 = #"""
    as of 2026-11-21 06:00 UTC

    Permissions  cleaner/permissions_flow v1 ───────────────────────────────────────────────────────────────────── window 7d
      1,248 entered → 780 completed · 62.5 % conversion (95 % interval 56.3–68.8 %) · 432 dropped · 36 in progress

      Step             Reached                    of start  of previous   Dropped  In progress  Median time       p90    p99
      Flow started     ███████████████████ 1,248     100 %                     78           12
      Photo access     █████████████████▋  1,158    92.8 %       92.8 %       234           16       900 ms     2.1 s  4.0 s
      Contacts access  █████████████▉        908    72.8 %       78.4 %       120            8        4.2 s   2 m 3 s   23 h
      Notifications    ░░░░░░░░░             612    49.0 %       67.4 %  optional                     5.0 s     9.1 s   10 m
      Flow completed   ███████████▉          780    62.5 %       85.9 %         0            0         12 s  1 m 45 s  7.0 d

      Permission  Grant rate              95 % interval  Access rate  95 % interval  In dialog  Median time to decide    p90
      photos      █████████▎     66.0 %     59.7–72.2 %      74.3 %     68.0–80.5 %    73.0 %                   1.5 s  4.0 s
      contacts    ███████▉       56.4 %     50.1–62.6 %      59.8 %     53.6–66.1 %    65.4 %                   1.5 s  4.0 s
      push        ███████        50.0 %*    43.8–56.3 %      50.0 %*    43.8–56.3 %    57.1 %*                  1.5 s  4.0 s

      Answers   Prompted  Granted  Limited  Denied  Skipped  Unanswered  In progress  Recovered  Unprimed
      photos       1,158      764       96     187       82          17           12         23         4
      contacts       908      512       31     240      117           0            8          9         0
      push            24       12        0       9        3           0            0          0         0

                                                           of                                   Lost com-   Median
      Dropped at                    of reached          start  Dropped  How they left            pletions     stay       p90
      Flow started                  ███▏        6.3 %   6.3 %       78  78 left                        54        –         –
      Photo access                  ██████████ 20.2 %  18.8 %      234  180 denied, 35 left,          203    3.1 s     8.0 s
                                                                        12 skipped, 5 ended,
                                                                        2 went back
      Contacts access               ██████▌    13.2 %   9.6 %      120  81 denied, 30 skipped,        120  1 h 2 m  3 h 20 m
                                                                        8 left, 1 failed
        last seen on Notifications                                  50  41.7 % of them

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenPlain80 = #"""
    as of 2026-11-21 06:00 UTC

    Permissions  cleaner/permissions_flow v1 ----------------------------- window 7d
      1,248 entered -> 780 completed, 62.5 % conversion (95 % interval 56.3-68.8 %)
      432 dropped, 36 in progress

                                              of      of                  In  Median
      Step             Reached             start   prev.   Dropped  progress    time
      Flow started     ########### 1,248   100 %                78        12
      Photo access     ##########  1,158  92.8 %  92.8 %       234        16  900 ms
      Contacts access  ########      908  72.8 %  78.4 %       120         8   4.2 s
      Notifications    :::::         612  49.0 %  67.4 %  optional             5.0 s
      Flow completed   #######       780  62.5 %  85.9 %         0         0    12 s

      Step             Time p90  Time p99
      Flow started
      Photo access        2.1 s     4.0 s
      Contacts access   2 m 3 s      23 h
      Notifications       9.1 s      10 m
      Flow completed   1 m 45 s     7.0 d

                                                   95 %  Access       In      Median
      Permission  Grant rate                   interval    rate   dialog   to decide
      photos      ###########      66.0 %   59.7-72.2 %  74.3 %   73.0 %       1.5 s
      contacts    #########        56.4 %   50.1-62.6 %  59.8 %   65.4 %       1.5 s
      push        ########         50.0 %*  43.8-56.3 %  50.0 %*  57.1 %*      1.5 s

      Permission  Access rate, 95 % interval  To decide, p90
      photos                     68.0-80.5 %           4.0 s
      contacts                   53.6-66.1 %           4.0 s
      push                       43.8-56.3 %           4.0 s

      Answers   Prompted  Granted  Limited  Denied  Skipped  Unanswered  In progress
      photos       1,158      764       96     187       82          17           12
      contacts       908      512       31     240      117           0            8
      push            24       12        0       9        3           0            0

      Answers   Recovered  Unprimed
      photos           23         4
      contacts          9         0
      push              0         0

                                of      of                                    Median
      Dropped at           reached   start  Dropped  How they left              stay
      Flow started           6.3 %   6.3 %       78  78 left                       -
      Photo access          20.2 %  18.8 %      234  180 denied, 35 left,      3.1 s
                                                     12 skipped, 5 ended,
                                                     2 went back
      Contacts access       13.2 %   9.6 %      120  81 denied, 30 skipped,  1 h 2 m
                                                     8 left, 1 failed
        last seen on                             50  41.7 % of them
        Notifications

      Dropped at       Lost completions  Stay p90
      Flow started                   54         -
      Photo access                  203     8.0 s
      Contacts access               120  3 h 20 m

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenColor80 = #"""
    \#u{1B}[2mas of 2026-11-21 06:00 UTC\#u{1B}[0m

    \#u{1B}[1mPermissions\#u{1B}[0m  cleaner/permissions_flow v1 \#u{1B}[2m───────────────────────────── window 7d\#u{1B}[0m
      1,248 entered → 780 completed\#u{1B}[2m · \#u{1B}[0m\#u{1B}[1m62.5 %\#u{1B}[0m conversion (95 % interval 56.3–68.8 %)
      432 dropped\#u{1B}[2m · \#u{1B}[0m36 in progress

                                              \#u{1B}[2mof\#u{1B}[0m      \#u{1B}[2mof\#u{1B}[0m                  \#u{1B}[2mIn\#u{1B}[0m  \#u{1B}[2mMedian\#u{1B}[0m
      \#u{1B}[2mStep\#u{1B}[0m             \#u{1B}[2mReached\#u{1B}[0m             \#u{1B}[2mstart\#u{1B}[0m   \#u{1B}[2mprev.\#u{1B}[0m   \#u{1B}[2mDropped\#u{1B}[0m  \#u{1B}[2mprogress\#u{1B}[0m    \#u{1B}[2mtime\#u{1B}[0m
      Flow started     \#u{1B}[36m███████████\#u{1B}[0m 1,248   100 %                78        12
      Photo access     \#u{1B}[36m██████████▎\#u{1B}[0m 1,158  92.8 %  92.8 %       \#u{1B}[31m234\#u{1B}[0m        16  900 ms
      Contacts access  \#u{1B}[36m████████\#u{1B}[0m      908  72.8 %  78.4 %       120         8   4.2 s
      \#u{1B}[2mNotifications\#u{1B}[0m    \#u{1B}[2m░░░░░\#u{1B}[0m         \#u{1B}[2m612\#u{1B}[0m  \#u{1B}[2m49.0 %\#u{1B}[0m  \#u{1B}[2m67.4 %\#u{1B}[0m  \#u{1B}[2moptional\#u{1B}[0m             \#u{1B}[2m5.0 s\#u{1B}[0m
      Flow completed   \#u{1B}[36m██████▉\#u{1B}[0m       780  62.5 %  85.9 %         \#u{1B}[2m0\#u{1B}[0m         \#u{1B}[2m0\#u{1B}[0m    12 s

      \#u{1B}[2mStep\#u{1B}[0m             \#u{1B}[2mTime p90\#u{1B}[0m  \#u{1B}[2mTime p99\#u{1B}[0m
      Flow started
      Photo access        \#u{1B}[2m2.1 s\#u{1B}[0m     \#u{1B}[2m4.0 s\#u{1B}[0m
      Contacts access   \#u{1B}[2m2 m 3 s\#u{1B}[0m      \#u{1B}[2m23 h\#u{1B}[0m
      \#u{1B}[2mNotifications\#u{1B}[0m       \#u{1B}[2m9.1 s\#u{1B}[0m      \#u{1B}[2m10 m\#u{1B}[0m
      Flow completed   \#u{1B}[2m1 m 45 s\#u{1B}[0m     \#u{1B}[2m7.0 d\#u{1B}[0m

    """#

  private static let goldenHealth80 = #"""
    as of 2026-11-21 06:00 UTC

    Onboarding  trendy/onboarding v1 ───────────────────────────────────────────────

                                                    95 %  Access       In     Median
      Permission     Grant rate                 interval    rate   dialog  to decide
      healthkit [1]  ████████████▋  90.0 %*  83.8–96.3 %  90.0 %*       –          –

      Permission     Access rate, 95 % interval  To decide, p90
      healthkit [1]                 83.8–96.3 %               –

                                                                       Un-        In
      Answers        Prompted  Granted  Limited  Denied  Skipped  answered  progress
      healthkit [1]        20       18        0       0        2         0         0

      Answers        Recovered  Unprimed
      healthkit [1]          0         0

      [1] granted means: asked and answered; the answer to a read request is not
          disclosed

      3 of 24 people dropped · 0 in progress

                                           of                                 Median
      Dropped at  of reached            start   Dropped  How they left          stay
      Sign in     ███████████ 12.5 %*  12.5 %*        3  2 left, 1 went back    45 s

      Dropped at  Lost completions  Stay p90
      Sign in                    3       1 m
      nobody dropped at: Welcome · Create event type · Log first event · Permissions

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenNothing80 = #"""
    Nothing matched: nobody entered a flow.
    What to check:
      - --since and --until: only those who entered from 2026-11-01 00:00 to
        2026-11-21 06:00 UTC count
      - --now: events after 2026-11-21 06:00 UTC are ignored
      - --where: only those with ctx.country!=DE count
      - --flow: perhaps nobody entered the flow
      - the log: events that no flow declares are not counted; --schemas DIR adds a
        flow that declares them

    """#
}
