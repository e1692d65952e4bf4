import Foundation
import FunnelTestSupport
import Testing

/// Reports that count people as dropped say beside the number how many of them reached the last step in another order.
@Suite struct OtherOrderTests {
  private let place: Workplace
  private static let now = "2026-12-01T00:00:00Z"
  private static let told =
    "20 of the 60 people who dropped (33.3 %) reached the last step in another order or without a required step"
  private static let remedy = "--order any counts those who took all steps as completed"

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"app":"shop","flow":"buy","version":1,"title":"Buy","window":"1d","steps":[{"id":"go"},{"id":"look"},{"id":"pay"}]}"#,
      to: "flows/shop.buy.v1.json")
    // Of 100 people 40 complete, 40 stop at the second step, and 20 of variant B pay before they look.
    let log = (0..<100).flatMap { person in
      let steps =
        switch person % 5 {
        case 0: ["go", "pay", "look"]
        case 1, 2: ["go", "look", "pay"]
        default: ["go", "look"]
        }
      return steps.enumerated().map { minute, step in
        #"{"app":"shop","name":"step_viewed","step":"\#(step)","subject":"p\#(person)","ts":"2026-11-02T10:0\#(minute):00Z","#
          + #""ctx":{"variant":"\#(person % 5 == 0 ? "B" : "A")"}}"# + "\n"
      }
    }
    try place.write(log.joined(), to: "log.ndjson")
  }

  /// Returns a report as text of single blanks, without the notes above it.
  private func report(_ arguments: String...) throws -> String {
    let run = try FunnelRun(
      arguments: arguments + ["log.ndjson", "--schemas", "flows", "--now", Self.now], directory: place.url)
    #expect(run.status == 0, "\(run.errors)")
    let text = run.output.replacing(/\s+/, with: " ")
    let start = try #require(text.firstRange(of: run.output.hasPrefix("<!DOCTYPE") ? "<h3>" : "2026-12-01"), "\(text)")
    return String(text[start.lowerBound...])
  }

  @Test func `drop-off, also after a funnel, in Markdown and on a page`() throws {
    #expect(try report("report", "dropoff").contains("\(Self.told); \(Self.remedy)."))
    #expect(try report("report").contains("\(Self.told); \(Self.remedy)."))
    #expect(try report("report", "dropoff", "--format", "markdown").contains("**\(Self.told); "))
    #expect(try report("report", "dropoff", "--format", "html").contains(#"<p class="statement">\#(Self.told); "#))
    #expect(try !report("report", "dropoff", "--order", "any").contains("in another order or"))
  }

  @Test func `with segments, the one that has them is named`() throws {
    let own = "B: 20 of the 20 people who dropped reached the last step in another order or without a required step; "
    let text = try report("report", "dropoff", "--by", "ctx.variant")
    #expect(text.contains(own) && !text.contains("A: "), "\(text)")
  }

  @Test func `drivers of conversion, but not of a step that they reached`() throws {
    let text = try report("report", "drivers", "--min-groups", "10")
    #expect(text.contains("\(Self.told); \(Self.remedy). Where"), "\(text)")
    #expect(try !report("report", "drivers", "--of", "reached:look").contains("in another order or"))
  }

  @Test func `retention of those who completed, which leaves them out, but not of those who entered`() throws {
    let text = try report("report", "retention", "--from", "completed")
    #expect(text.contains("\(Self.told) and are in no row of this table; \(Self.remedy)."), "\(text)")
    #expect(try !report("report", "retention").contains("in another order or"))
  }

  @Test func `a comparison names its sides`() throws {
    let text = try report("compare", "--by", "ctx.variant")
    #expect(text.contains("20 people in B reached the last step in another way"), "\(text)")
  }
}
