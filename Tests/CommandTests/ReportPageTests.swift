import Foundation
import FunnelTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `--format html` of every report: a whole page, in one file of bounded size, which a parser of XML takes.
@Suite struct ReportPageTests {
  private static let now = "2026-10-20T12:00:00Z"
  private let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder()
    let arguments = ["simulate", "--flow", "all", "--subjects", "1000", "--seed", "1", "--from", "2026-10-01"]
    let log = try FunnelRun(arguments: arguments).output
    try place.write(Array(log.utf8), to: "all.ndjson")
    let ingest = try FunnelRun(
      "ingest", "all.ndjson", "--store", "store", "--now", Self.now, directory: URL(filePath: place.path))
    try #require(ingest.status == 0)
  }

  @Test func `each report is a page that loads nothing, and small enough to be sent`() throws {
    let named = ["funnel", "grants", "dropoff", "steps", "times", "trend", "outcomes", "breaches", "access", "retention"]
    var questions = [["report"]] + named.map { ["report", $0] }
    questions += [
      ["report", "next", "--after", "step:welcome"], ["compare", "--by", "ctx.variant"], ["compare", "--versions", "1,2"],
      ["report", "--by", "ctx.variant"], ["report", "trend", "--by", "ctx.variant", "--every", "week"],
    ]
    for question in questions {
      let run = try FunnelRun(
        arguments: question + ["--store", "store", "--now", Self.now, "--format", "html"], directory: URL(filePath: place.path))
      let name = question.joined(separator: " ")
      #expect(run.status == 0, "\(name): \(run.errors)")
      #expect(run.output.utf8.count <= 400 * 1024, "\(name)")
      let parser = XMLParser(data: Data(run.output.utf8))
      #expect(parser.parse(), "\(name): \(String(describing: parser.parserError))")
      // The simulated apps break no rule.
      #expect(
        question.last == "breaches" || run.output.contains("<svg role=\"img\"") && run.output.contains("<table>"), "\(name)")
      for word in ["<script", "src=", "url(", "http://", "https://", "@import"] {
        #expect(!run.output.contains(word), "\(name) has \(word)")
      }
    }
  }
}
