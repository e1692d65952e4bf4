import Foundation
import FunnelTestSupport
import Testing

/// Events of one instant: the source's order counts where it has one, else a question comes before its answer.
@Suite struct EventTieTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"""
      {"app":"notes","flow":"intro","version":1,"steps":[{"id":"welcome","entered_by":["welcome"]},
       {"id":"alerts","entered_by":["alerts_screen"],"asks":["push"]},{"id":"end","entered_by":["finished"]}]}
      """#, to: "flows/notes.intro.v1.json")
    try place.write(#"{"from":"csv","app":"notes","subject":"who","ts":"when","name":"what"}"#, to: "map.json")
  }

  private static let names = [
    "welcome", "alerts_screen", "perm_push_pre_prompt_shown", "perm_push_denied", "perm_push_granted",
  ]

  /// Returns the counts of the push permission, from prompted to unprimed.
  private func push(_ arguments: String..., input: String = "") throws -> String {
    let run = try FunnelRun(
      arguments: ["report", "grants", "--schemas", "flows", "--format", "csv", "--now", Workplace.now] + arguments,
      directory: place.url, input: input)
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").last.map { $0.split(separator: ",")[4..<13].joined(separator: " ") } ?? ""
  }

  /// The events of one instant as native lines, with ids in ascending or descending order.
  private static func native(descending: Bool) -> String {
    let names = ["perm_push_pre_prompt_shown", "perm_push_enable_tapped", "perm_push_granted", "alerts_screen"]
    return names.enumerated().map { number, name in
      "{\"name\":\"\(name)\",\"ts\":\"2026-11-10T10:00:00Z\",\"subject\":\"s\",\"app\":\"notes\","
        + "\"id\":\"\(descending ? 9 - number : number)\"}\n"
    }.joined()
  }

  @Test(arguments: [false, true]) func `a question comes before what is done with it, and that before its answer`(
    descending: Bool
  )
    throws
  {
    let log = Self.native(descending: descending)
    #expect(try push("-", input: log) == "1 1 0 0 0 0 0 0 0")
    #expect(try place.run("ingest", "-", "--schemas", "flows", "--now", Workplace.now, input: log).status == 0)
    #expect(try push() == "1 1 0 0 0 0 0 0 0")
    let trace = try place.run("trace", "s", "--schemas", "flows", "--format", "json", "--now", Workplace.now).output
    let order = trace.split(separator: "\n").compactMap { $0.split(separator: "\"name\":\"").last?.prefix { $0 != "\"" } }
    #expect(order == ["alerts_screen", "perm_push_pre_prompt_shown", "perm_push_enable_tapped", "perm_push_granted"])
  }

  @Test func `the records of a table keep their order within a second, and the order is no part of their ids`() throws {
    func table(_ names: [String]) -> String {
      "who,when,what\n" + names.map { "c,2026-09-01 10:00:00,\($0)\n" }.joined()
    }
    let options = ["--from", "csv", "--map", "map.json", "--source-tz", "UTC"]
    func counts(_ names: [String]) throws -> String {
      try place.write(table(names), to: "rows.csv")
      return try push("rows.csv", options[0], options[1], options[2], options[3], options[4], options[5])
    }
    let refusedFirst = try counts(Self.names)
    #expect(refusedFirst == "1 1 0 0 0 0 0 1 0")
    #expect(try counts(Self.names.dropLast(2) + ["perm_push_granted", "perm_push_denied"]) == "1 0 0 1 0 0 0 0 0")
    try place.write(table(Self.names), to: "rows.csv")
    let ingest = ["ingest", "rows.csv", "--schemas", "flows", "--now", Workplace.now, "--format", "json"] + options
    #expect(try FunnelRun(arguments: ingest, directory: place.url).output.contains("\"accepted\":5"))
    #expect(try push() == refusedFirst)
    let records = try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz", directory: place.url).output
    for number in 1...5 { #expect(records.contains("\"seq\":\(number),")) }
    try place.write(table(Self.names.reversed()), to: "rows.csv")
    #expect(try FunnelRun(arguments: ingest, directory: place.url).output.contains("\"accepted\":0,\"duplicates\":5"))
  }

  @Test func `an array of a vendor keeps its order, and so do Google's batches`() throws {
    let segment = Self.names.enumerated().map { number, name in
      "{\"type\":\"track\",\"event\":\"\(name)\",\"anonymousId\":\"a\",\"messageId\":\"\(9 - number)\","
        + "\"timestamp\":\"2026-09-01T10:00:00Z\"}"
    }
    let array = "[" + segment.joined(separator: ",") + "]"
    #expect(try push("-", "--from", "segment", "--app", "notes", input: array) == "1 1 0 0 0 0 0 1 0")
    func google(_ place: (Int) -> (bundle: Int, index: Int)) -> String {
      Self.names.enumerated().map { number, name in
        "{\"event_timestamp\":\"1788256800000000\",\"event_name\":\"\(name)\",\"user_pseudo_id\":\"g\","
          + "\"event_bundle_sequence_id\":\"\(place(number).bundle)\",\"batch_event_index\":\(place(number).index)}\n"
      }.reversed().joined()
    }
    let options = ("--from", "ga4", "--app", "notes")
    #expect(
      try push("-", options.0, options.1, options.2, options.3, input: google { (7, $0) }) == "1 1 0 0 0 0 0 1 0")
    // The batch counts first.
    #expect(
      try push("-", options.0, options.1, options.2, options.3, input: google { (7 + $0, 9 - $0) }) == "1 1 0 0 0 0 0 1 0")
    // Within the last batch, the grant comes before the denial.
    #expect(
      try push("-", options.0, options.1, options.2, options.3, input: google { (7, $0 == 4 ? 3 : $0 == 3 ? 4 : $0) })
        == "1 0 0 1 0 0 0 0 0")
  }

  @Test func `an event that enters two steps in any order matches the one that is new`() throws {
    try place.write(
      #"""
      {"app":"shop","flow":"twice","version":1,"steps":[{"id":"first","entered_by":["open","buy"]},
       {"id":"maybe","optional":true,"entered_by":["buy"]},{"id":"second","entered_by":["buy"]}]}
      """#, to: "twice/shop.twice.v1.json")
    let log = ["open", "buy"].enumerated().map {
      "{\"name\":\"\($1)\",\"ts\":\"2026-11-01T00:00:0\($0)Z\",\"subject\":\"s1\",\"app\":\"shop\",\"flow\":\"twice\"}\n"
    }.joined()
    let trace = try place.run(
      "trace", "s1", "-", "--schemas", "twice", "--order", "any", "--format", "json", "--now", Workplace.now, input: log)
    let matches = trace.output.split(separator: "\n").map { $0.contains(#""match":{"step":"second","level":2}"#) }
    #expect(matches == [false, true], "\(trace.output)\(trace.errors)")
  }
}
