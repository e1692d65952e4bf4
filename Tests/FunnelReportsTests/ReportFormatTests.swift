import FunnelRendering
import FunnelReports
import Testing

@Suite struct ReportFormatTests {
  @Test(arguments: [
    ("a.txt", ReportFormat.table), ("out/a.json", .json), ("a.CSV", .csv), ("a.b.md", .markdown), ("a.markdown", .markdown),
    ("a.html", .html), ("a.HTM", .html),
    ("a.out", nil), ("json", nil), (".json", nil), ("a.json/b", nil), ("a.", nil), ("", nil), ("-", nil),
  ])
  func theEndingOfAFilesNameChoosesTheFormat(_ path: String, _ format: ReportFormat?) {
    #expect(ReportFormat(path: path) == format)
  }
}
