import Foundation
import FunnelTestSupport
import Testing

/// `funnel groups` of a flow that counts each attempt by itself.
@Suite struct GroupsOfAttemptsTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let showings = [("ann", "p2"), ("ann", "p1"), ("bob", "p3"), ("ann", "p4")]
    let log = showings.enumerated().map { number, showing in
      let common = #""app":"clarity","subject":"\#(showing.0)","attempt":"\#(showing.1)""#
      let day = "2026-11-1\(number)"
      let shown = #"{"name":"paywall_shown",\#(common),"ts":"\#(day)T10:00:00Z"}"#
      return showing.1 == "p4"
        ? shown + "\n" : shown + "\n" + #"{"name":"purchase_cancelled",\#(common),"ts":"\#(day)T10:00:05Z"}"# + "\n"
    }.joined()
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func cancelled(_ arguments: [String]) throws -> FunnelRun {
    let words = ["groups", "--outcome", "cancelled", "--flow", "clarity/paywall", "--now", Workplace.now]
    return try FunnelRun(arguments: words + arguments, directory: place.url)
  }

  @Test func `the list names subject and attempt, in the order of both, lines the subject for each attempt`() throws {
    for input in [[], ["log.ndjson"]] as [[String]] {
      let csv = try cancelled(input + ["--format", "csv"])
      let rows = csvRows(csv.output).dropFirst()
      #expect(rows.map { [$0[3], $0[4]] } == [["ann", "p1"], ["ann", "p2"], ["bob", "p3"]])
      #expect(try cancelled(input + ["--format", "lines"]).output == "ann\nann\nbob\n")
      #expect(try cancelled(input + ["--format", "lines", "--limit", "1"]).output == "ann\n")
    }
  }

  @Test func `lines need no attempts, so the index has them although the log is damaged`() throws {
    let part = try #require(try place.folder.files().first { $0.hasPrefix("funnel-store/log/dt=") })
    var bytes = try place.folder.contents(part)
    for index in bytes.indices.suffix(40).prefix(30) { bytes[index] ^= 0xff }
    try place.folder.write(bytes, to: part)
    let lines = try cancelled(["--format", "lines"])
    #expect(lines.status == 0 && lines.output == "ann\nann\nbob\n")
    #expect(try cancelled(["--format", "json"]).status == 74)
  }
}
