import Foundation
import FunnelModel
import Testing

@testable import FunnelRendering
@testable import FunnelReports

/// Reports name what they count.
@Suite struct CountedNounTests {
  private static let now = Timestamp(rfc3339: "2026-11-21T06:00:00Z")!

  @Test func `one is a person, others are people, by what the query or else the flow counts`() {
    var query = ReportQuery(now: Self.now)
    #expect(CountedNoun(of: query, nil).counted(1) == "1 person")
    #expect(CountedNoun(of: query, nil).counted(1234) == "1,234 people")
    let flow = FlowDefinition(
      app: "app", flow: "flow", version: 1, title: "", window: TimeSpan(milliseconds: 1), countBy: .attempt)
    #expect(CountedNoun(of: query, flow).counted(0) == "0 attempts")
    #expect(CountedNoun(of: query, flow).who == "attempts that" && CountedNoun.people.who == "people who")
    query.countBy = .subject
    #expect(CountedNoun(of: query, flow).title == "People")
  }

  @Test func `flows that count different things are named by both`() {
    #expect(CountedNoun(joining: [.people, .attempts, .people]).plural == "people or attempts")
    #expect(CountedNoun(joining: [.attempts, .attempts]) == .attempts)
    #expect(CountedNoun(joining: []) == .people)
  }

  @Test func `a report by attempt speaks of attempts`() throws {
    var report = SampleReports.full
    report.query.countBy = .attempt
    for format in [ReportFormat.html, .markdown, .table] {
      let text = try ReportRenderer.render(report, as: format)
      #expect(text.contains("a share of fewer than 30 attempts: read with care"), "\(text)")
    }
  }

  @Test(arguments: [SampleReports.full, SampleReports.segmented])
  func `what open and closed mean is said once, however many tables need it`(report: Report) throws {
    for format in [ReportFormat.html, .markdown] {
      let text = try ReportRenderer.render(report, as: format)
      #expect(text.components(separatedBy: "Closed: the conversion window is over").count <= 2)
    }
  }
}
