import Foundation
import FunnelModel
import FunnelProjections
import FunnelRendering
@testable import FunnelReports
import FunnelTestSupport
import Testing

/// `Schemas/report.v1.schema.json` describes what `--format json` prints.
@Suite struct ReportSchemaTests {
  private let schema: [UInt8]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Schemas/report.v1.schema.json")
    schema = Array(try Data(contentsOf: file))
  }

  @Test func theSampleReportsAreValid() throws {
    let check = try SchemaCheck(schema: schema)
    var mature = SampleReports.full
    mature.query.isMature = true
    mature.grants?[0].unprimed = nil
    mature.funnel?[0].closed = ClosedConversion()
    for report in [SampleReports.full, SampleReports.segmented, SampleReports.health, .youngByDay, .youngGrants, mature] {
      #expect(try check.problems(in: Self.json(report)) == [])
    }
  }

  @Test(arguments: 0..<30)
  func anyReportWithDistinctNumbersIsValid(_ seed: Int) throws {
    var reports = DistinctReports(seed: UInt64(seed))
    #expect(try SchemaCheck(schema: schema).problems(in: Self.json(reports.report())) == [])
  }

  @Test func theSchemaKnowsEveryKeyAndAsksForItInTheOrderItIsPrinted() throws {
    let definitions = try #require(try JSONDocument(parsing: schema).root["$defs"])
    let report = try JSONDocument(parsing: Self.json(SampleReports.full)).root
    func first(_ name: String) throws -> JSONDocument.Node { try #require(report[name]?.array?.first) }
    func required(_ path: [String]) -> [String?] {
      let node = path.reduce(definitions) { $0[$1] ?? $0 }
      return (node["required"]?.array ?? []).map(\.string)
    }
    func keys(_ node: JSONDocument.Node?) -> [String?] { (node?.object ?? []).map(\.key) }
    #expect(keys(report["query"]) == required(["query"]))
    #expect(keys(try first("funnel")) == required(["funnel"]))
    #expect(keys(try first("funnel")["closed"]) == required(["funnel", "properties", "closed"]))
    #expect(keys(try first("funnel")["steps"]?.array?.first) == required(["funnelStep"]))
    #expect(keys(try first("grants")) == required(["grants"]))
    #expect(keys(try first("grants")["closed"]) == required(["grants", "properties", "closed"]))
    #expect(keys(try first("dropoff")) == required(["dropoff"]))
    let step = try first("dropoff")["steps"]?.array?.first
    #expect(keys(step) == required(["dropoffStep"]))
    #expect(keys(step?["exits"]) == required(["dropoffStep", "properties", "exits"]))
  }

  @Test(arguments: [
    (#""mature":false"#, #""mature":null"#, "$.query.mature: type"),
    (#","ended":5"#, "", "$.dropoff[0].steps[1].exits: no ended"),
    (#""last_step":{"start":78}"#, #""last_step":{"start":0}"#, "$.dropoff[0].steps[0].last_step.start: minimum"),
    (#""closed":{"entered":1200,"#, #""closed":{"#, "$.funnel[0].closed: no entered"),
  ])
  func whatIsNotAsDescribedIsInvalid(_ part: String, _ other: String, _ problem: String) throws {
    let text = String(decoding: try Self.json(SampleReports.full), as: UTF8.self)
    let broken = text.replacing(part, with: other, maxReplacements: 1)
    #expect(broken != text)
    #expect(try SchemaCheck(schema: schema).problems(in: Array(broken.utf8)) == [problem])
  }

  private static func json(_ report: Report) throws -> [UInt8] {
    Array(try ReportRenderer.render(report, as: .json).utf8)
  }
}
