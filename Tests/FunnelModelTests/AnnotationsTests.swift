import FunnelModel
import Testing

/// The remarks of `annotations.csv`.
@Suite struct AnnotationsTests {
  @Test func `remarks are sorted by their days, and a header, comments and blank lines are none`() {
    let list = Annotations(
      """
      \u{FEFF}date,text
      2026-11-12,"campaign in France, Belgium"
      # not yet: 2026-11-20,x

      2026-11-05,new paywall\r
      2026-11-05, he said ""hm""
      """)
    #expect(list.entries.map(\.day.description) == ["2026-11-05", "2026-11-05", "2026-11-12"])
    #expect(list.entries.map(\.text) == ["new paywall", "he said \"\"hm\"\"", "campaign in France, Belgium"])
    #expect(list.brokenLineCount == 0)
  }

  @Test(arguments: [
    "2026-11-31,no such day", "yesterday,text", "2026-11-05", "2026-11-05,", "2026-11-05,\"open", "2026-11-05,\"\"",
  ])
  func `a line that is no remark is counted`(line: String) {
    let list = Annotations("2026-11-01,release\n\(line)\n")
    #expect(list.brokenLineCount == 1 && list.entries.count == 1)
  }
}
