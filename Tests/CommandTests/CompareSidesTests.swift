import Foundation
import FunnelTestSupport
import Testing

/// What `funnel compare` sets against each other: values however they were written, periods of one age, strata, and what it leaves out.
@Suite struct CompareSidesTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Midnight UTC of Monday, 2026-11-02, in seconds.
  private static let monday = 1_793_577_600

  /// Returns the events of a person who begins so many hours after that Monday, and ends after some more if at all.
  private func person(
    _ id: String, at hours: Double, end delay: Double?, _ more: String = "", endMore: String? = nil
  ) -> String {
    func event(_ name: String, _ hours: Double, _ more: String) -> String {
      let time = Self.monday * 1000 + Int(hours * 3_600_000)
      return
        "{\"name\":\"\(name)\",\"ts\":\(time),\"subject\":\"\(id)\",\"app\":\"shop\"\(more.isEmpty ? "" : ",\(more)")}\n"
    }
    return event("welcome", hours, more) + (delay.map { event("signed_up", hours + $0, endMore ?? more) } ?? "")
  }

  /// Runs a comparison of a flow from welcome to signed_up in a log.
  private func compare(_ log: String, _ arguments: String..., now: String = "2026-12-20T00:00:00Z") throws -> FunnelRun {
    try place.write(log, to: "log.ndjson")
    return try FunnelRun(
      arguments: ["compare", "log.ndjson", "--steps", "welcome,signed_up", "--now", now] + arguments, directory: place.url)
  }

  /// Returns the rows of a comparison in JSON.
  private func rows(_ run: FunnelRun) throws -> [[String: Any]] {
    try #require(run.status == 0, "\(run.errors)")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    return try #require(json["compare"] as? [[String: Any]])
  }

  /// Returns the counts of a side's conversion.
  private func conversion(_ row: [String: Any], _ side: String) throws -> [Int] {
    let metrics = try #require(row["metrics"] as? [[String: Any]])
    let share = try #require(metrics.first { $0["metric"] as? String == "conversion" }?[side] as? [String: Any])
    return [try #require(share["count"] as? Int), try #require(share["of"] as? Int)]
  }

  // MARK: - Values

  @Test func `a value is one side however it was written`() throws {
    var log = ""
    for index in 0..<80 {
      let value = ["true", "\"true\"", "false", "\"false\""][index % 4]
      log += person("p\(index)", at: 1, end: index % 8 < 4 ? 1 : nil, "\"props\":{\"beta\":\(value)}")
    }
    for sides in [[], ["--sides", "false,true"]] {
      try place.write(log, to: "log.ndjson")
      let run = try FunnelRun(
        arguments: [
          "compare", "log.ndjson", "--steps", "welcome,signed_up", "--now", "2026-12-20", "--by", "props.beta", "--format",
          "json",
        ] + sides, directory: place.url)
      let row = try #require(try rows(run).first)
      #expect(try conversion(row, "a") == [20, 40] && conversion(row, "b") == [20, 40])
    }
  }

  @Test func `all values are compared with the first one, versions in their order`() throws {
    var log = ""
    for (index, version) in ["5.10", "5.9", "5.2"].enumerated() {
      for number in 0..<20 {
        log += person("p\(index)-\(number)", at: 1, end: number < 5 ? 1 : nil, "\"ctx\":{\"app_version\":\"\(version)\"}")
      }
    }
    let rows = try rows(compare(log, "--by", "ctx.app_version", "--format", "json"))
    func label(_ row: [String: Any], _ side: String) -> String? { (row[side] as? [String: Any])?["label"] as? String }
    #expect(rows.map { label($0, "a") } == ["5.2", "5.2"] && rows.map { label($0, "b") } == ["5.9", "5.10"])
    #expect((rows[0]["overall"] as? [String: Any])?["df"] as? Int == 2)
    #expect(rows.allSatisfy { $0["sample_ratio"] is NSNull })
  }

  @Test func `more values than ten are named, not compared`() throws {
    let log = (0..<11).map { person("p\($0)", at: 1, end: 1, "\"ctx\":{\"city\":\"c\($0)\"}") }.joined()
    let run = try compare(log, "--by", "ctx.city")
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("funnel: 11 values, --by ctx.city, c0 (1), c1 (1), "), "\(run.errors)")
    #expect(run.errors.hasSuffix(" and 1 more, name 2 to 10 of them with --sides c0,c1\n"), "\(run.errors)")
  }

  @Test func `who has no value at the first step, or another one, is told with the option that helps`() throws {
    var log = ""
    for index in 0..<30 {
      let variant = index < 10 ? "" : "\"ctx\":{\"variant\":\"\(["A", "B", "C", "C"][index % 4])\"}"
      log += person("p\(index)", at: 1, end: 1, variant, endMore: "\"ctx\":{\"variant\":\"A\"}")
    }
    let run = try compare(log, "--by", "ctx.variant", "--sides", "A,B")
    let text = run.output.replacing(/\s+/, with: " ")
    #expect(
      text.contains(
        "10 of 30 people have no ctx.variant at the first step and are left out; 10 of them have one later, "
          + "--attribution known counts them by it"), "\(run.output)")
    #expect(text.contains("10 people have another ctx.variant and are left out; --sides names the values that are compared"))
    let json = try compare(log, "--by", "ctx.variant", "--sides", "A,B", "--format", "json")
    #expect(try rows(json).first?["no_value"] as? Int == 10)
    #expect(json.errors.contains("shop/adhoc@1: 10 of 30 people have no ctx.variant at the first step"), "\(json.errors)")
  }

  @Test func `who has no value at all is told with no advice that was followed already`() throws {
    var log = ""
    for index in 0..<30 {
      let variant = index < 20 ? "\"ctx\":{\"variant\":\"\(index % 2 == 0 ? "A" : "B")\"}" : ""
      log += person("p\(index)", at: 1, end: 1, "", endMore: variant)
    }
    let known = try compare(log, "--by", "ctx.variant", "--attribution", "known").output.replacing(/\s+/, with: " ")
    #expect(known.contains("10 of 30 people have no ctx.variant within the window and are left out"), "\(known)")
    #expect(!known.contains("--attribution"), "\(known)")
    let anchor = try compare(log, "--by", "ctx.variant")
    #expect(anchor.status == 64)
    #expect(anchor.errors.contains("write --attribution known or --by step.ID.ctx.variant if it comes later; 30 without it"))
  }

  @Test func `who changed sides is told, and left out if asked`() throws {
    var log = ""
    for index in 0..<40 {
      let variant = index % 2 == 0 ? "A" : "B"
      log += person(
        "p\(index)", at: 1, end: 1, "\"ctx\":{\"variant\":\"\(variant)\",\"os\":\"x\"}",
        endMore: "\"ctx\":{\"variant\":\"\(index < 6 ? "A" : variant)\",\"os\":\"y\"}")
    }
    let stay = try compare(log, "--by", "ctx.variant", "--stratify", "ctx.os", "--format", "json")
    let row = try #require(try rows(stay).first)
    // Three of B were seen with A later. The strata that people change make nobody mixed.
    #expect(row["mixed"] as? Int == 3)
    #expect(try conversion(row, "b") == [20, 20])
    #expect(stay.errors.contains("3 people have more than one ctx.variant; each counts under the first"))
    let drop = try compare(log, "--by", "ctx.variant", "--drop-mixed", "--format", "json")
    let dropped = try #require(try rows(drop).first)
    #expect(dropped["mixed"] as? Int == 3)
    #expect(try conversion(dropped, "b") == [17, 17])
    #expect(drop.errors.contains("3 people have more than one ctx.variant and are left out, as --drop-mixed says"))
  }

  @Test func `a comparison by the value at a later step says that it is about those who got there`() throws {
    var log = ""
    for index in 0..<100 {
      let plan = index < 40 ? "free" : "pro"
      log += person("p\(index)", at: 1, end: index < 60 ? 1 : nil, endMore: "\"props\":{\"plan\":\"\(plan)\"}")
    }
    let run = try compare(log, "--by", "step.signed_up.props.plan")
    let text = run.output.replacing(/\s+/, with: " ")
    #expect(
      text.contains(
        "This is about the 60 of 100 people who got to step signed_up and have a value there; the conversion of the whole flow is "
          + "60.0 %"), "\(run.output)")
  }

  @Test func `where nothing has closed it says that, not that a value does not exist`() throws {
    let log = (0..<8).map { person("p\($0)", at: 1, end: 1, "\"ctx\":{\"variant\":\"\($0 % 2 == 0 ? "A" : "B")\"}") }.joined()
    for sides in ["A,B", "B,A"] {
      let run = try compare(log, "--by", "ctx.variant", "--sides", sides, now: "2026-11-03T00:00:00Z")
      #expect(run.status == 0)
      let text = run.output.replacing(/\s+/, with: " ")
      #expect(text.contains("Nothing to compare yet: no window of"), "\(run.output)")
      #expect(text.contains("8 people are in progress for up to 7d; --open-too counts them"), "\(run.output)")
    }
    let json = try compare(log, "--by", "ctx.variant", "--format", "json", now: "2026-11-03T00:00:00Z")
    #expect(try rows(json).isEmpty)
    #expect(json.errors.contains("shop/adhoc@1: Nothing to compare yet: no window of A and B has closed."), "\(json.errors)")
    let open = try compare(log, "--by", "ctx.variant", "--open-too", now: "2026-11-03T00:00:00Z")
    #expect(open.output.contains("No clear difference."), "\(open.output)")
    let missing = try compare(log, "--by", "ctx.variant", "--sides", "A,X", now: "2026-11-03T00:00:00Z")
    #expect(missing.status == 64 && missing.errors.contains("nobody has ctx.variant=X"), "\(missing.errors)")
  }

  @Test func `attempts are not called people`() throws {
    let log = (0..<40).map {
      person("p\($0)", at: 1, end: 1, "\"attempt\":\"x\",\"ctx\":{\"variant\":\"\($0 % 2 == 0 ? "A" : "B")\"}")
    }.joined()
    let run = try compare(log, "--by", "ctx.variant", "--count-by", "attempt")
    #expect(run.output.contains("20 attempts in A (the baseline)") && !run.output.contains("people"), "\(run.output)")
  }

  @Test func `entries are independent if each person has one in the period, also if it is not the first`() throws {
    func log(startsInPeriod: Int) -> String {
      (0..<400).map { index in
        let variant = "\"ctx\":{\"variant\":\"\(index % 2 == 0 ? "A" : "B")\"}"
        // Half of the people began a week before.
        let earlier = index % 4 < 2 ? person("p\(index)", at: 1, end: nil, variant) : ""
        let ends = index % 2 == 0 ? index % 10 < 2 : index % 10 < 9
        return (0..<startsInPeriod).reduce(earlier) { text, start in
          text + person("p\(index)", at: 240 + 24 * Double(start) * 8, end: ends ? 1 : nil, variant)
        }
      }.joined()
    }
    func verdict(startsInPeriod: Int) throws -> String {
      try compare(
        log(startsInPeriod: startsInPeriod), "--by", "ctx.variant", "--count-by", "entry", "--since", "2026-11-10"
      ).output.replacing(/\s+/, with: " ")
    }
    let once = try verdict(startsInPeriod: 1)
    #expect(once.contains("B is better, and you may stop looking"), "\(once)")
    let twice = try verdict(startsInPeriod: 2)
    #expect(twice.contains("B looks better, but this is no fair comparison"), "\(twice)")
    #expect(twice.contains("The 800 entries are of 400 people"), "\(twice)")
  }

  // MARK: - Strata

  @Test func `strata keep a mix from making a difference`() throws {
    var log = ""
    // In both systems the variants convert alike, and B has more of the one that converts better.
    let strata = [("A", "ios", 20, 16), ("A", "web", 80, 16), ("B", "ios", 80, 64), ("B", "web", 20, 4)]
    for (variant, os, total, completed) in strata {
      for index in 0..<total {
        log += person(
          "\(variant)\(os)\(index)", at: 1, end: index < completed ? 1 : nil,
          "\"ctx\":{\"variant\":\"\(variant)\",\"os\":\"\(os)\"}")
      }
    }
    let run = try compare(log, "--by", "ctx.variant", "--stratify", "ctx.os", "--format", "json")
    let row = try #require(try rows(run).first)
    let metric = try #require((row["metrics"] as? [[String: Any]])?.first)
    let stratified = try #require(metric["stratified"] as? [String: Any])
    #expect(stratified["strata"] as? Int == 2)
    #expect(abs(try #require(stratified["difference"] as? Double)) < 1e-12)
    #expect(try #require(metric["difference"] as? Double) > 0.3)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect((json["query"] as? [String: Any])?["by"] as? [String] == ["ctx.variant"])
    let text = try compare(log, "--by", "ctx.variant", "--stratify", "ctx.os").output.replacing(/\s+/, with: " ")
    #expect(text.contains("No clear difference within ctx.os. ! On average within ctx.os: no difference"), "\(text)")
  }

  // MARK: - Periods

  /// A product that does not change: ten people begin on each of 21 days; of those three end at once, and three after three days.
  private var steadyLog: String {
    var log = ""
    for day in 0..<21 {
      for number in 0..<10 {
        let delay = number < 3 ? 0.1 : number < 6 ? 72 : nil
        log += person("d\(day)n\(number)", at: Double(day) * 24 + 10, end: delay)
      }
    }
    return log
  }

  @Test(arguments: ["2026-11-18T12:00:00Z", "2026-11-17T09:30:00Z", "2026-11-20T23:59:00Z"])
  func `this week against last is one short command on any day, and both are of one age`(now: String) throws {
    let run = try compare(steadyLog, "--since", "2026-11-16", "--versus", "previous", "--format", "json", now: now)
    let row = try #require(try rows(run).first)
    #expect(row["same_age"] as? Bool == true && row["dimension"] as? String == "period")
    // A product that does not change converts alike, whatever day it is.
    #expect(try conversion(row, "a") == conversion(row, "b"))
    #expect(try conversion(row, "a")[1] > 0)
    let text = try compare(steadyLog, "--since", "2026-11-16", "--versus", "previous", now: now).output
    // Three days of the end of a week are other days than three of its beginning.
    #expect(text.contains("No clear difference, but this is no fair comparison."), "\(text)")
    #expect(text.replacing(/\s+/, with: " ").contains("Both periods are compared at the same age: "), "\(text)")
  }

  @Test func `the baseline of one age is the report of its period as it stood then`() throws {
    let now = "2026-11-18T12:00:00Z"
    let log = steadyLog
    let run = try compare(
      log, "--since", "2026-11-16", "--versus", "2026-11-09..2026-11-16", "--format", "json", now: now)
    let row = try #require(try rows(run).first)
    let reports = [
      ("a", ["--since", "2026-11-09", "--until", "2026-11-16", "--now", "2026-11-11T12:00:00Z"]),
      ("b", ["--since", "2026-11-16", "--until", now, "--now", now]),
    ]
    for (side, period) in reports {
      let report = try FunnelRun(
        arguments: ["report", "funnel", "log.ndjson", "--steps", "welcome,signed_up", "--format", "json"] + period,
        directory: place.url)
      let json = try #require(try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
      let funnel = try #require((json["funnel"] as? [[String: Any]])?.first)
      #expect(
        try conversion(row, side) == [try #require(funnel["completed"] as? Int), try #require(funnel["entered"] as? Int)])
    }
    #expect((row["a"] as? [String: Any])?["label"] as? String == "2026-11-09..2026-11-16")
    #expect((row["b"] as? [String: Any])?["label"] as? String == "2026-11-16..2026-11-18T12:00:00Z")
    // A store answers alike.
    _ = try place.ingest("log.ndjson")
    let stored = try place.run(
      "compare", "--app", "shop", "--steps", "welcome,signed_up", "--since", "2026-11-16", "--versus", "2026-11-09..2026-11-16",
      "--format", "json", "--now", now)
    #expect(stored.output == run.output, "\(stored.errors)")
  }

  @Test func `closed periods are compared by those who are closed, and read as people write them`() throws {
    let run = try compare(
      steadyLog, "--since", "2026-11-09", "--until", "2026-11-16", "--versus", "previous", now: "2026-11-28T00:00:00Z")
    #expect(run.output.contains("70 people in 2026-11-02 to 11-08 (the baseline), 70 in 2026-11-09 to 11-15"), "\(run.output)")
    #expect(!run.output.contains("same age"), "\(run.output)")
  }

  @Test func `the earlier period is the baseline, whichever was named with --versus`() throws {
    func labels(_ since: String, _ until: String, _ versus: String) throws -> [String?] {
      let run = try compare(
        steadyLog, "--since", since, "--until", until, "--versus", versus, "--format", "json", now: "2026-12-20T00:00:00Z")
      let row = try #require(try rows(run).first)
      return ["a", "b"].map { (row[$0] as? [String: Any])?["label"] as? String }
    }
    let expected = ["2026-11-02..2026-11-09", "2026-11-09..2026-11-16"]
    #expect(try labels("2026-11-09", "2026-11-16", "2026-11-02..2026-11-09") == expected)
    #expect(try labels("2026-11-02", "2026-11-09", "2026-11-09..2026-11-16") == expected)
  }

  /// Clocks went back on 2026-10-25 in Berlin, so that day has 25 hours.
  @Test func `the period before is that of as many civil days, also across a change of clocks`() throws {
    let run = try compare(
      person("p", at: -24 * 9, end: nil), "--since", "2026-10-26", "--until", "2026-10-28", "--versus", "previous", "--tz",
      "Europe/Berlin", "--format", "json", now: "2026-12-20T00:00:00Z")
    let row = try #require(try rows(run).first)
    #expect((row["a"] as? [String: Any])?["label"] as? String == "2026-10-24..2026-10-26")
  }
}
