import FunnelTestSupport
import Testing

/// `funnel report trend` of a period that begins or ends within a week.
@Suite struct TrendCommandTests {
  @Test func `a week of which only a part was asked for says so`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    try #require(workspace.ingest().status == 0)
    func rows(_ since: String, _ until: String) throws -> [(week: String, isPartial: Bool)] {
      let run = try workspace.run(
        "report", "trend", "--flow", "cleaner/permissions_flow", "--every", "week", "--since", since, "--until", until,
        "--format", "markdown")
      return run.output.split(separator: "\n").filter { $0.contains("2026-W") }.map {
        (String($0.split(separator: "|")[0].filter { !" *\\".contains($0) }), $0.contains("partial"))
      }
    }
    let whole = try rows("2026-11-02", "2026-11-16")
    #expect(whole.map(\.week) == ["2026-W45", "2026-W46"])
    #expect(whole.allSatisfy { !$0.isPartial })
    #expect(try rows("2026-11-04", "2026-11-16").map(\.isPartial) == [true, false])
    #expect(try rows("2026-11-02", "2026-11-12").map(\.isPartial) == [false, true])
  }
}
