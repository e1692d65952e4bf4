import Foundation
import FunnelTestSupport
import Testing

/// Segments and conditions read values as a person does: types differ from client to client, and a text may be a number.
@Suite struct SegmentValueTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let steps = ["--steps", "welcome,signed_up", "--now", Workplace.now]

  /// Two platforms that log the same values with other types: 10 people each, of whom those of the first finish.
  private static let log = (0..<20).map { number in
    let isFirst = number < 10
    let props = isFirst ? #"{"beta":true,"plan":4}"# : #"{"beta":"true","plan":"4.0"}"#
    let subject = "\"subject\":\"s\(number)\",\"app\":\"shop\",\"props\":\(props)}\n"
    let start = "{\"name\":\"welcome\",\"ts\":\"2026-11-10T10:00:00Z\",\(subject)"
    return start + (isFirst ? "{\"name\":\"signed_up\",\"ts\":\"2026-11-10T10:00:30Z\",\(subject)" : "")
  }.joined()

  private func run(_ arguments: [String], input: String = "") throws -> String {
    let run = try FunnelRun(arguments: arguments, directory: place.url, input: input)
    #expect(run.status == 0, "\(run.errors)")
    return run.output
  }

  /// Returns the columns of a CSV, joined by blanks, without its header.
  private func columns(_ range: Range<Int>, of csv: String) -> [String] {
    csv.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)[range].joined(separator: " ")
    }
  }

  @Test func `true and "true", 4 and "4.0" are one segment in every place where segments are`() throws {
    try place.write(Self.log, to: "log.ndjson")
    let csv = try run(
      ["report", "funnel", "log.ndjson", "--by", "props.beta", "--by", "props.plan", "--format", "csv"] + Self.steps)
    #expect(columns(4..<8, of: csv).first == "true 4 20 10")
    let json = try run(
      ["report", "funnel", "log.ndjson", "--by", "props.beta", "--by", "props.plan", "--format", "json"] + Self.steps)
    #expect(json.contains(#""by":{"props.beta":true,"props.plan":4},"entered":20"#))
    for condition in ["props.beta=true", "props.plan=4", "props.plan=4.0", "props.plan=40e-1", "props.plan>=3.5"] {
      let listed = try run(["groups", "entered", "log.ndjson", "--where", condition, "--format", "lines"] + Self.steps)
      #expect(listed.split(separator: "\n").count == 20, "\(condition)")
    }
    #expect(try run(["log", "keys", "log.ndjson"]).contains("4 (30)"))
    let keys = try run(["log", "keys", "log.ndjson", "--format", "csv"])
    #expect(keys.split(separator: "\n").count { $0.hasPrefix("props.") } == 2)
  }

  @Test func `the store's index and its log have the same segments`() throws {
    _ = try run(["ingest", "-", "--now", Workplace.now], input: Self.log)
    let arguments = ["report", "funnel", "--by", "props.plan", "--format", "csv"] + Self.steps
    let indexed = try run(arguments)
    #expect(columns(4..<7, of: indexed).first == "4 20 10")
    try FileManager.default.removeItem(atPath: place.folder.path("funnel-store/index"))
    #expect(try run(arguments) == indexed)
  }

  @Test func `the values of steps are told as segments are`() throws {
    let flow = #"{"app":"shop","flow":"intro","version":1,"steps":[{"id":"one"},{"id":"two"}]}"#
    try place.write(flow, to: "flows/shop.intro.v1.json")
    let log = ["2", "\"2\"", "\"2.0\"", "3"].enumerated().map { number, piles in
      let common = "\"subject\":\"s\(number)\",\"app\":\"shop\",\"flow\":\"intro\",\"step\":\"one\""
      return "{\"name\":\"step_viewed\",\"ts\":\"2026-11-10T10:00:00Z\",\(common)}\n"
        + "{\"name\":\"step_completed\",\"ts\":\"2026-11-10T10:00:01Z\",\(common),\"props\":{\"piles\":\(piles)}}\n"
    }.joined()
    let json = try run(
      ["report", "steps", "-", "--schemas", "flows", "--format", "json", "--now", Workplace.now], input: log)
    #expect(
      json.contains(
        #""props.piles":{"count":4,"mean":2.25,"min":2,"max":3,"top":[{"value":2,"count":3},{"value":3,"count":1}]}"#),
      "\(json)")
  }

  @Test func `numbers of a table are compared as numbers, as they are natively`() throws {
    let prices = ["4.25", "4.5", "10", "1e1", "4.05", "0.99"]
    let rows = prices.enumerated().map { "p\($0),2026-09-01T10:00:00Z,offer_seen,\($1)\n" }.joined()
    try place.write("who,when,what,price\n" + rows, to: "offers.csv")
    try place.write(
      #"{"from":"csv","app":"shop","subject":"who","ts":"when","name":"what","props":{"price":"price"}}"#, to: "map.json")
    let native = prices.enumerated().map {
      "{\"app\":\"shop\",\"subject\":\"p\($0)\",\"ts\":\"2026-09-01T10:00:00Z\",\"name\":\"offer_seen\",\"props\":{\"price\":\($1)}}\n"
    }.joined()
    try place.write(native, to: "offers.ndjson")
    for (condition, subjects) in [
      ("props.price>=4.5", "p1 p2 p3"), ("props.price<1", "p5"), ("props.price=10.0", "p2 p3"),
      ("props.price!=1e1", "p0 p1 p4 p5"),
    ] {
      for input in [["offers.csv", "--from", "csv", "--map", "map.json"], ["offers.ndjson"]] {
        let listed = try run(
          ["groups", "entered"] + input
            + ["--steps", "offer_seen", "--where", condition, "--now", Workplace.now, "--format", "lines"])
        #expect(listed.split(separator: "\n").joined(separator: " ") == subjects, "\(condition) of \(input[0])")
      }
    }
  }

  @Test func `bounds of outcomes and of rules read numbers as texts`() throws {
    try place.write(
      #"""
      {"app":"shop","flow":"buy","version":1,"steps":[{"id":"offer","entered_by":["offer_seen"]},{"id":"box"}],
       "rules":[{"rule":"min_items","step":"box","prop":"items","minimum":3}],
       "outcomes":{"paid":{"label":"Paid","events":["paid"],"success":true,
         "values":{"USD":[{"where":{"props.price":{"minimum":5}},"amount":10},4.99]}}}}
      """#, to: "flows/shop.buy.v1.json")
    func log(_ quote: String) -> String {
      ["7", "3"].map { price in
        let common = "\"subject\":\"p\(price)\",\"app\":\"shop\""
        return "{\"name\":\"offer_seen\",\"ts\":\"2026-09-01T10:00:00Z\",\(common)}\n"
          + "{\"name\":\"step_completed\",\"step\":\"box\",\"ts\":\"2026-09-01T10:00:01Z\",\(common),"
          + "\"flow\":\"buy\",\"props\":{\"items\":\(quote)2.0\(quote)}}\n"
          + "{\"name\":\"paid\",\"ts\":\"2026-09-01T10:01:00Z\",\(common),\"props\":{\"price\":\(quote)\(price)\(quote)}}\n"
      }.joined()
    }
    for text in [log(""), log("\"")] {
      let arguments = ["-", "--schemas", "flows", "--flow", "shop/buy", "--format", "json", "--now", Workplace.now]
      #expect(try run(["report", "outcomes"] + arguments, input: text).contains(#""values":{"USD":14.99}"#))
      #expect(
        try run(["report", "breaches"] + arguments, input: text).contains(#""target":"box","description":"at least 3"#) == false
      )
      let breaches = try run(["groups", "--breach", "min_items"] + arguments, input: text)
      #expect(breaches.contains(#""count":2"#), "\(breaches)")
    }
  }

  @Test func `versions are texts, and a definition names further keys that are`() throws {
    try place.write(
      #"{"app":"shop","flow":"intro","version":1,"versions":["props.sdk"],"steps":[{"id":"one","entered_by":["welcome"]}]}"#,
      to: "flows/shop.intro.v1.json")
    let log = ["5.1", "5.10", "5.9"].enumerated().map { number, version in
      "{\"name\":\"welcome\",\"ts\":\"2026-11-10T10:00:00Z\",\"subject\":\"s\(number)\",\"app\":\"shop\","
        + "\"props\":{\"sdk\":\"\(version)\"},\"ctx\":{\"app_version\":\"\(version)\"}}\n"
    }.joined()
    try place.write(log, to: "log.ndjson")
    for key in ["props.sdk", "ctx.app_version"] {
      let arguments = ["log.ndjson", "--schemas", "flows", "--flow", "shop/intro", "--now", Workplace.now]
      let json = try run(["report", "funnel", "--by", key, "--format", "json"] + arguments)
      for version in ["5.1", "5.10", "5.9"] { #expect(json.contains("\"by\":{\"\(key)\":\"\(version)\"}")) }
      let listed = try run(["groups", "entered", "--where", "\(key)>5.9", "--format", "lines"] + arguments)
      #expect(listed == "s1\n")
    }
  }

  @Test func `groups are split by the hour and the day of the week in the time zone`() throws {
    let log = ["2026-11-09T23:30:00Z", "2026-11-10T00:15:00Z", "2026-11-08T07:00:00Z", "2026-11-08T07:59:59Z"].enumerated().map
    {
      "{\"name\":\"welcome\",\"ts\":\"\($1)\",\"subject\":\"s\($0)\",\"app\":\"shop\"}\n"
    }.joined()
    try place.write(log, to: "log.ndjson")
    func rows(_ key: String, _ more: String...) throws -> [String] {
      columns(
        4..<6,
        of: try run(
          ["report", "funnel", "log.ndjson", "--steps", "welcome", "--by", key, "--format", "csv", "--now", Workplace.now]
            + more))
    }
    #expect(try rows("hour") == ["00 1", "07 2", "23 1"])
    #expect(try rows("hour", "--tz", "Europe/Berlin") == ["00 1", "01 1", "08 2"])
    #expect(try rows("weekday") == ["Mon 1", "Tue 1", "Sun 2"])
    #expect(try rows("weekday", "--tz", "Europe/Berlin") == ["Tue 2", "Sun 2"])
    #expect(try rows("weekday", "--where", "hour>=7", "--where", "weekday<Sun") == ["Mon 1"])
    let mistyped = try FunnelRun(
      arguments: ["report", "funnel", "log.ndjson", "--steps", "welcome", "--where", "hour=7", "--now", Workplace.now],
      directory: place.url)
    #expect(mistyped.errors.contains("no hour is written as 7, given with --where, write it as 09"))
  }
}
