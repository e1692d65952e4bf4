import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct SegmentComparisonTests {
  @Test func segmentsStandSideBySide() throws {
    let text = try ReportRenderer.render(
      SampleReports.segmented, as: .table, style: TableStyle(width: 80, color: false, isPlain: false))
    #expect(text == Self.goldenSeg80, "\(text)")
  }

  @Test func withMoreRoomNothingIsLeftOut() throws {
    let text = try ReportRenderer.render(
      SampleReports.segmented, as: .table, style: TableStyle(width: 120, color: false, isPlain: false))
    #expect(text == Self.goldenSeg120, "\(text)")
  }

  @Test func whereASegmentHasNoRoomTheMatrixGoesOnBelow() throws {
    let text = try ReportRenderer.render(
      SampleReports.segmented, as: .table, style: TableStyle(width: 60, color: false, isPlain: false))
    #expect(text == Self.goldenSeg60, "\(text)")
  }

  private static let goldenSeg80 = #"""
    since 2026-11-01 00:00 · as of 2026-11-21 06:00 UTC · by ctx.variant, week
    where ctx.country!=DE

    Permissions  cleaner/permissions_flow v1 ───────────────────────────── window 7d

      Segment            Conversion                95 % interval  Entered  Completed
      B · 2026-W46       ██████████       62.5 %     56.3–68.8 %    1,248        780
      A · 2026-W46       ██████████       62.5 %     56.3–68.8 %      936        585
      (none) · 2026-W47  ██████████       62.5 %*    56.3–68.8 %       24         15

      Segment            Dropped  In progress
      B · 2026-W46           432           36
      A · 2026-W46           324           27
      (none) · 2026-W47        9            0

      Reached, of start  B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Flow started              100 %         100 %             100 %*
      Photo access             92.8 %        92.7 %            95.8 %*
      Contacts access          72.8 %        72.8 %            75.0 %*
      Notifications            49.0 %        49.0 %            50.0 %*
      Flow completed           62.5 %        62.5 %            62.5 %*

                                                            95 %  Access      Median
      Permission           Grant rate                   interval    rate   to decide
      photos
        B · 2026-W46       ████████████▌    77.9 %   71.7–84.2 %  84.4 %       1.5 s
        A · 2026-W46       ████████████     75.4 %   69.1–81.6 %  82.6 %       1.5 s
        (none) · 2026-W47  █████▌           34.6 %*  28.4–40.9 %  53.8 %*      1.5 s

      Permission           Access rate, 95 % interval  In dialog  To decide, p90
      photos
        B · 2026-W46                      78.2–90.7 %    88.2 %            4.0 s
        A · 2026-W46                      76.4–88.9 %    86.7 %            4.0 s
        (none) · 2026-W47                 47.6–60.1 %    52.9 %*           4.0 s

      Answers              Prompted  Granted  Limited  Denied  Skipped  Unanswered
      photos
        B · 2026-W46             77       60        5       3        5           3
        A · 2026-W46             69       52        5       3        5           3
        (none) · 2026-W47        26        9        5       3        5           3

      Answers              In progress  Recovered  Unprimed
      photos
        B · 2026-W46                 1          2         –
        A · 2026-W46                 1          2         –
        (none) · 2026-W47            1          2         –

      Segment            Share dropped                 Dropped  Entered  In progress
      B · 2026-W46       ███████▎              34.6 %      432    1,248           36
      A · 2026-W46       ███████▎              34.6 %      216      624           18
      (none) · 2026-W47  ███████▎              34.5 %       86      249            7

      Segment            Most at
      B · 2026-W46       Photo access (234)
      A · 2026-W46       Photo access (234)
      (none) · 2026-W47  Photo access (234)

      Dropped, of reached  B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Flow started                6.3 %         6.3 %              6.3 %
      Photo access               20.2 %        20.2 %             20.2 %
      Contacts access            13.2 %        13.2 %             13.2 %

      Last seen on, of dropped    B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Contacts access, then             41.7 %        41.7 %             41.7 %
      Notifications

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenSeg120 = #"""
    since 2026-11-01 00:00 · as of 2026-11-21 06:00 UTC · by ctx.variant, week · where ctx.country!=DE

    Permissions  cleaner/permissions_flow v1 ───────────────────────────────────────────────────────────────────── window 7d

      Segment            Conversion                                  95 % interval  Entered  Completed  Dropped  In progress
      B · 2026-W46       █████████████████████▎             62.5 %     56.3–68.8 %    1,248        780      432           36
      A · 2026-W46       █████████████████████▎             62.5 %     56.3–68.8 %      936        585      324           27
      (none) · 2026-W47  █████████████████████▎             62.5 %*    56.3–68.8 %       24         15        9            0

      Reached, of start  B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Flow started              100 %         100 %             100 %*
      Photo access             92.8 %        92.7 %            95.8 %*
      Contacts access          72.8 %        72.8 %            75.0 %*
      Notifications            49.0 %        49.0 %            50.0 %*
      Flow completed           62.5 %        62.5 %            62.5 %*

                                                                       95 %  Access          95 %      In      Median
      Permission           Grant rate                              interval    rate      interval  dialog   to decide    p90
      photos
        B · 2026-W46       █████████████████████       77.9 %   71.7–84.2 %  84.4 %   78.2–90.7 %  88.2 %       1.5 s  4.0 s
        A · 2026-W46       ████████████████████▍       75.4 %   69.1–81.6 %  82.6 %   76.4–88.9 %  86.7 %       1.5 s  4.0 s
        (none) · 2026-W47  █████████▍                  34.6 %*  28.4–40.9 %  53.8 %*  47.6–60.1 %  52.9 %*      1.5 s  4.0 s

      Answers              Prompted  Granted  Limited  Denied  Skipped  Unanswered  In progress  Recovered  Unprimed
      photos
        B · 2026-W46             77       60        5       3        5           3            1          2         –
        A · 2026-W46             69       52        5       3        5           3            1          2         –
        (none) · 2026-W47        26        9        5       3        5           3            1          2         –

      Segment            Share dropped                                     Dropped  Entered  In progress  Most at
      B · 2026-W46       ██████████████▎                           34.6 %      432    1,248           36  Photo access (234)
      A · 2026-W46       ██████████████▎                           34.6 %      216      624           18  Photo access (234)
      (none) · 2026-W47  ██████████████▏                           34.5 %       86      249            7  Photo access (234)

      Dropped, of reached  B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Flow started                6.3 %         6.3 %              6.3 %
      Photo access               20.2 %        20.2 %             20.2 %
      Contacts access            13.2 %        13.2 %             13.2 %

      Last seen on, of dropped             B · 2026-W46  A · 2026-W46  (none) · 2026-W47
      Contacts access, then Notifications        41.7 %        41.7 %             41.7 %

    * a share of fewer than 30 people: read with care

    """#

  private static let goldenSeg60 = #"""
    since 2026-11-01 00:00 · as of 2026-11-21 06:00 UTC
    by ctx.variant, week · where ctx.country!=DE

    Permissions  cleaner/permissions_flow v1 ───────── window 7d

                                                   95 %
      Segment           Conversion             interval  Entered
      B · 2026-W46      ██████▎    62.5 %   56.3–68.8 %    1,248
      A · 2026-W46      ██████▎    62.5 %   56.3–68.8 %      936
      (none) ·          ██████▎    62.5 %*  56.3–68.8 %       24
      2026-W47

      Segment            Completed  Dropped  In progress
      B · 2026-W46             780      432           36
      A · 2026-W46             585      324           27
      (none) · 2026-W47         15        9            0

                                B         A   (none)
      Reached, of start  2026-W46  2026-W46  2026-W47
      Flow started          100 %     100 %    100 %*
      Photo access         92.8 %    92.7 %   95.8 %*
      Contacts access      72.8 %    72.8 %   75.0 %*
      Notifications        49.0 %    49.0 %   50.0 %*
      Flow completed       62.5 %    62.5 %   62.5 %*

                                                   95 %  Access
      Permission        Grant rate             interval    rate
      photos
        B · 2026-W46    ███████▊   77.9 %   71.7–84.2 %  84.4 %
        A · 2026-W46    ███████▌   75.4 %   69.1–81.6 %  82.6 %
        (none) ·        ███▌       34.6 %*  28.4–40.9 %  53.8 %*
        2026-W47

                            Access rate,      In      Median
      Permission           95 % interval  dialog   to decide
      photos
        B · 2026-W46         78.2–90.7 %  88.2 %       1.5 s
        A · 2026-W46         76.4–88.9 %  86.7 %       1.5 s
        (none) · 2026-W47    47.6–60.1 %  52.9 %*      1.5 s

      Permission           To decide, p90
      photos
        B · 2026-W46                4.0 s
        A · 2026-W46                4.0 s
        (none) · 2026-W47           4.0 s

      Answers              Prompted  Granted  Limited  Denied
      photos
        B · 2026-W46             77       60        5       3
        A · 2026-W46             69       52        5       3
        (none) · 2026-W47        26        9        5       3

                                        Un-        In
      Answers             Skipped  answered  progress  Recovered
      photos
        B · 2026-W46            5         3         1          2
        A · 2026-W46            5         3         1          2
        (none) ·                5         3         1          2
        2026-W47

      Answers              Unprimed
      photos
        B · 2026-W46              –
        A · 2026-W46              –
        (none) · 2026-W47         –

      Segment            Share dropped          Dropped  Entered
      B · 2026-W46       ████▉          34.6 %      432    1,248
      A · 2026-W46       ████▉          34.6 %      216      624
      (none) · 2026-W47  ████▉          34.5 %       86      249

      Segment            In progress  Most at
      B · 2026-W46                36  Photo access (234)
      A · 2026-W46                18  Photo access (234)
      (none) · 2026-W47            7  Photo access (234)

                                  B         A    (none)
      Dropped, of reached  2026-W46  2026-W46  2026-W47
      Flow started            6.3 %     6.3 %     6.3 %
      Photo access           20.2 %    20.2 %    20.2 %
      Contacts access        13.2 %    13.2 %    13.2 %

      Last seen on, of             B         A    (none)
      dropped               2026-W46  2026-W46  2026-W47
      Contacts access,        41.7 %    41.7 %    41.7 %
      then Notifications

    * a share of fewer than 30 people: read with care

    """#
}
