import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct MarkdownReportTests {
  @Test func aFlowIsAHeadingWithATableForEachReport() throws {
    let text = try ReportRenderer.render(SampleReports.full, as: .markdown)
    #expect(text == Self.goldenMd, "\(text)")
  }

  @Test func segmentsAreTheFirstColumns() throws {
    let text = try ReportRenderer.render(
      Report(query: SampleReports.segmented.query, funnel: Array(SampleReports.segmented.funnel!.suffix(1))), as: .markdown)
    #expect(text == Self.goldenMdseg, "\(text)")
  }

  private static let goldenMd = #"""
    As of 2026-11-21 06:00 UTC.

    ### Permissions: cleaner/permissions_flow v1

    | Window | Entered | Completed | Conversion | 95 % interval | Dropped | In progress |
    | --: | --: | --: | --: | --: | --: | --: |
    | 7d | 1,248 | 780 | 62.5 % | 56.3–68.8 % | 432 | 36 |

    | Step | Reached | Of start | Of previous | Dropped | In progress | Median time | p90 | p99 |
    | :-- | --: | --: | --: | --: | --: | --: | --: | --: |
    | Flow started | 1,248 | 100 % |  | 78 | 12 |  |  |  |
    | Photo access | 1,158 | 92.8 % | 92.8 % | 234 | 16 | 900 ms | 2.1 s | 4.0 s |
    | Contacts access | 908 | 72.8 % | 78.4 % | 120 | 8 | 4.2 s | 2 m 3 s | 23 h |
    | Notifications _(optional)_ | 612 | 49.0 % | 67.4 % |  |  | 5.0 s | 9.1 s | 10 m |
    | Flow completed | 780 | 62.5 % | 85.9 % | 0 | 0 | 12 s | 1 m 45 s | 7.0 d |

    | Permission | Prompted | Granted | Limited | Denied | Skipped | Unanswered | In progress | Recovered | Unprimed | Grant rate | 95 % interval | Access rate | 95 % interval | In dialog | Median time to decide | p90 | p99 |
    | :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
    | photos | 1,158 | 764 | 96 | 187 | 82 | 17 | 12 | 23 | 4 | 66.0 % | 59.7–72.2 % | 74.3 % | 68.0–80.5 % | 73.0 % | 1.5 s | 4.0 s | 9.0 s |
    | contacts | 908 | 512 | 31 | 240 | 117 | 0 | 8 | 9 | 0 | 56.4 % | 50.1–62.6 % | 59.8 % | 53.6–66.1 % | 65.4 % | 1.5 s | 4.0 s | 9.0 s |
    | push | 24 | 12 | 0 | 9 | 3 | 0 | 0 | 0 | 0 | 50.0 %\* | 43.8–56.3 % | 50.0 %\* | 43.8–56.3 % | 57.1 %\* | 1.5 s | 4.0 s | 9.0 s |

    \* a share of fewer than 30 people: read with care

    | Dropped at | How they left | Dropped | Of reached | Of start | Lost completions | Median stay | p90 | p99 |
    | :-- | :-- | --: | --: | --: | --: | --: | --: | --: |
    | Flow started | 78 left | 78 | 6.3 % | 6.3 % | 54 | – | – | – |
    | Photo access | 180 denied, 35 left, 12 skipped, 5 ended, 2 went back | 234 | 20.2 % | 18.8 % | 203 | 3.1 s | 8.0 s | 1 m 1 s |
    | Contacts access | 81 denied, 30 skipped, 8 left, 1 failed | 120 | 13.2 % | 9.6 % | 120 | 1 h 2 m | 3 h 20 m | 3.5 d |
    | ↳ last seen on Notifications | 41.7 % of them | 50 |  |  |  |  |  |  |

    """#

  private static let goldenMdseg = #"""
    As of 2026-11-21 06:00 UTC, since 2026-11-01 00:00, by ctx.variant and week, where ctx.country!=DE.

    ### Permissions: cleaner/permissions_flow v1

    | ctx.variant | week | Window | Entered | Completed | Conversion | 95 % interval | Dropped | In progress |
    | :-- | :-- | --: | --: | --: | --: | --: | --: | --: |
    | _(none)_ | 2026-W47 | 7d | 24 | 15 | 62.5 %\* | 56.3–68.8 % | 9 | 0 |

    | ctx.variant | week | Step | Reached | Of start | Of previous | Dropped | In progress | Median time | p90 | p99 |
    | :-- | :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: |
    | _(none)_ | 2026-W47 | Flow started | 24 | 100 %\* |  | 1 | 0 |  |  |  |
    | _(none)_ | 2026-W47 | Photo access | 23 | 95.8 %\* | 95.8 %\* | 4 | 0 | 900 ms | 2.1 s | 4.0 s |
    | _(none)_ | 2026-W47 | Contacts access | 18 | 75.0 %\* | 78.3 %\* | 2 | 0 | 4.2 s | 2 m 3 s | 23 h |
    | _(none)_ | 2026-W47 | Notifications _(optional)_ | 12 | 50.0 %\* | 66.7 %\* |  |  | 5.0 s | 9.1 s | 10 m |
    | _(none)_ | 2026-W47 | Flow completed | 15 | 62.5 %\* | 83.3 %\* | 0 | 0 | 12 s | 1 m 45 s | 7.0 d |

    \* a share of fewer than 30 people: read with care

    """#
}
