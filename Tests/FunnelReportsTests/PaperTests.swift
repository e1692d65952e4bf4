import Foundation
import FunnelModel
import FunnelProjections
import Testing

@testable import FunnelRendering
@testable import FunnelReports

/// No column is cut off on paper: a table that is too wide becomes several.
@Suite struct PaperTests {
  private static func columns(_ count: Int, width: Int) -> [(texts: [String], hasItems: Bool)] {
    (0..<count).map { _ in (["Title", String(repeating: "0", count: width)], false) }
  }

  @Test func `a table that fits stays one, and one that does not has parts that all fit`() {
    let few = TableWidths(labels: [["Step", "Welcome"]], columns: Self.columns(5, width: 8))
    #expect(few.parts { _ in false } == [0..<5])
    for (count, width) in [(30, 8), (40, 2), (12, 60), (3, 200), (1, 1), (0, 1)] {
      let wide = TableWidths(
        labels: [["Step", String(repeating: "x", count: 200)]], columns: Self.columns(count, width: width))
      let parts = wide.parts { _ in false }
      #expect(parts.flatMap { Array($0) } == Array(0..<count))
      for part in parts where part.count > 1 {
        #expect(wide.labels + wide.columns[part].reduce(0, +) <= TableWidths.lineMax, "\(count) \(width) \(part)")
      }
    }
  }

  @Test func `an interval goes to the next part with its rate`() {
    let widths = TableWidths(labels: [["Step"]], columns: Self.columns(20, width: 10))
    let parts = widths.parts { $0 % 2 == 1 }
    #expect(parts.count > 1 && parts.allSatisfy { $0.lowerBound % 2 == 0 }, "\(parts)")
  }

  @Test func `a part that begins with an interval says whose it is`() {
    #expect(ColumnTitle("95 % interval", alone: ["Access rate,", "95 % interval"]).asFirst == "Access rate, 95 % interval")
    #expect(ColumnTitle("Entered").asFirst == "Entered")
  }

  @Test func `each part of a wide table has the labels of the rows`() throws {
    let page = try ReportRenderer.render(SampleReports.full, as: .html)
    let parts = page.components(separatedBy: "<caption>").dropFirst().filter { $0.hasPrefix("Permission answers") }
    #expect(parts.count > 1 && parts.allSatisfy { $0.contains("<th scope=\"row\">photos") }, "\(parts.count)")
    #expect(parts.first?.hasPrefix("Permission answers: cleaner/permissions_flow v1 (part 1 of \(parts.count))") == true)
    for column in ["Prompted", "In progress", "Grant rate", "Access rate", "In dialog", "Median time to decide", "p99"] {
      #expect(page.contains("\(column)</th>") || page.contains("\(column.lowercased())</th>"), "\(column)")
    }
  }
}
