import Foundation
import FunnelTestSupport
import Testing

/// Keys that groups have only after their first step: what is told, and which options help.
@Suite struct LateKeyTests {
  private let place: Workplace

  /// Forty people, of whom every second has no variant at the first step, and three quarters choose a plan.
  private static let log = (0..<40).map { number -> String in
    let (subject, variant) = ("p\(number)", number % 4 < 2 ? "A" : "B")
    func event(_ name: String, _ second: Int, _ more: String) -> String {
      "{\"app\":\"shop\",\"name\":\"\(name)\",\"subject\":\"\(subject)\",\"ts\":\"2026-11-20T10:00:0\(second)Z\"\(more)}\n"
    }
    let context = ",\"ctx\":{\"variant\":\"\(variant)\"}"
    return event("welcome", 0, number % 2 == 0 ? "" : context)
      // Events of the flow alone give a group its values, so the variant comes with a second visit.
      + event("welcome", 1, context)
      + (number < 30 ? event("plan_chosen", 2, ",\"props\":{\"plan\":\"\(number < 20 ? "free" : "pro")\"}") : "")
      + (number < 24 ? event("bought", 3, ",\"props\":{\"plan\":\"\(number < 20 ? "free" : "pro")\"}") : "")
  }.joined()

  init() throws {
    place = try Workplace()
    try place.write(Self.log, to: "log.ndjson")
  }

  private func run(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: arguments + ["--steps", "welcome,plan_chosen,bought", "--app", "shop", "--now", "2026-12-01"],
      directory: place.url)
  }

  /// Returns the segment and the groups of each row of a funnel.
  private func segments(_ arguments: String...) throws -> [String] {
    let run = try FunnelRun(
      arguments: ["report", "funnel", "log.ndjson", "--format", "json", "--steps", "welcome,plan_chosen,bought"] + arguments
        + ["--app", "shop", "--now", "2026-12-01"], directory: place.url)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let rows = try #require(json["funnel"] as? [[String: Any]])
    return rows.map { row in
      let by = (row["by"] as? [String: Any] ?? [:]).values.map { "\($0)" }.joined()
      return "\(by) \(row["entered"] ?? "") \(row["completed"] ?? "")"
    }
  }

  @Test func `a key that many have only later is told with both numbers and the option`() throws {
    let late =
      "20 of 40 people (50.0 %) of shop/adhoc@1 have no ctx.variant at their first step but have one later; --attribution known takes the first value that is known"
    for arguments in [["--by", "ctx.variant"], ["--where", "ctx.variant=A"]] {
      for format in ["table", "json", "csv", "markdown"] {
        let run = try FunnelRun(
          arguments: ["report", "funnel", "log.ndjson", "--format", format] + arguments
            + ["--steps", "welcome,plan_chosen,bought", "--app", "shop", "--now", "2026-12-01"], directory: place.url)
        #expect(run.errors == "funnel: \(late)\n", "\(arguments) \(format)")
        if format == "table" || format == "markdown" {
          // Markdown keeps a name from becoming an address by an empty comment.
          let output = run.output.replacing("<!-- -->", with: "")
          #expect(output.split(separator: /\s+/).joined(separator: " ").contains(late), "\(format)")
        }
      }
    }
    #expect(try run("report", "funnel", "log.ndjson", "--by", "ctx.variant", "--attribution", "known").errors == "")
  }

  @Test(arguments: [(2, false), (3, true)])
  func `from more than a twentieth on those who have a key only later are told, by every report`(
    late: Int, isTold: Bool
  ) throws {
    // Of forty people the first ones get their variant at the second step, and the last five never.
    let log = (0..<40).map { number -> String in
      ["welcome", "plan_chosen", "bought"].enumerated().map { second, name -> String in
        let hasVariant = number < 35 && (second == 1 || second == 0 && number >= late)
        let context = hasVariant ? ",\"ctx\":{\"variant\":\"\(number % 2 == 0 ? "A" : "B")\"}" : ""
        return "{\"app\":\"shop\",\"name\":\"\(name)\",\"subject\":\"p\(number)\","
          + "\"ts\":\"2026-11-20T10:00:0\(second)Z\"\(context)}\n"
      }.joined()
    }.joined()
    try place.write(log, to: "few.ndjson")
    let told =
      "funnel: 3 of 40 people (7.5 %) of shop/adhoc@1 have no ctx.variant at their first step but have one later; "
      + "--attribution known takes the first value that is known\n"
    let questions = ["--by ctx.variant", "--where ctx.variant=A"].flatMap { option in
      ["funnel", "dropoff", "trend", "times"].map { "report \($0) few.ndjson \(option)" }
    }
    for question in questions {
      func errors(_ attribution: String) throws -> String {
        let words = question.split(separator: " ").map(String.init) + ["--attribution", attribution]
        let run = try FunnelRun(
          arguments: words + ["--steps", "welcome,plan_chosen,bought", "--app", "shop", "--now", "2026-12-01"],
          directory: place.url)
        #expect(run.status == 0)
        return run.errors
      }
      #expect(try errors("anchor") == (isTold ? told : ""), "\(question)")
      let survivors =
        "funnel: 3 of 40 people of shop/adhoc@1 got their ctx.variant only after the first step, and 5 never got one: those who left "
        + "early have no value, so a value that comes later looks better than it is\n"
      #expect(try errors("known") == (isTold ? survivors : ""), "\(question)")
    }
    // A comparison says it of those on no side, in one sentence, and does not advise an option that was given.
    func comparison(_ attribution: String) throws -> String {
      try run("compare", "few.ndjson", "--by", "ctx.variant", "--attribution", attribution).output.replacing(/\s+/, with: " ")
    }
    let left = "\(late + 5) of 40 people have no ctx.variant at the first step and are left out; "
    #expect(try comparison("anchor").contains("\(left)\(late) of them have one later, --attribution known counts them by it"))
    #expect(try comparison("known").contains("5 of 40 people have no ctx.variant within the window and are left out"))
    #expect(try !comparison("known").contains("--attribution"))
  }

  @Test func `the first value that is known takes the place of one that the first step lacks`() throws {
    #expect(try segments("--by", "ctx.variant") == ["<null> 20 12", "A 10 6", "B 10 6"])
    #expect(try segments("--by", "ctx.variant", "--attribution", "anchor") == segments("--by", "ctx.variant"))
    #expect(try segments("--by", "ctx.variant", "--attribution", "known") == ["A 20 12", "B 20 12"])
    #expect(try segments("--where", "ctx.variant=B", "--attribution", "known") == [" 20 12"])
    let json = try run("report", "funnel", "log.ndjson", "--format", "json", "--attribution", "known")
    #expect(json.output.contains(#""mature":false,"attribution":"known","steps":"#))
    let wrong = try run("report", "funnel", "log.ndjson", "--attribution", "knwon")
    #expect(wrong.status == 64)
    #expect(wrong.errors == "funnel: unknown value, --attribution knwon, did you mean known?\n")
  }

  @Test func `a key that nobody has at the first step is told with the step that has it`() throws {
    for option in ["--by", "--where"] {
      let run = try run("report", "funnel", "log.ndjson", option, option == "--by" ? "props.plan" : "props.plan=pro")
      #expect(
        run.errors.contains(
          "funnel: no person of shop/adhoc@1 has props.plan at the first step, 30 of 40 people have it later; "
            + "\(option) step.plan_chosen.props.plan asks for the value at that step, --attribution known takes the first value that is known\n"
        ), "\(run.errors)")
    }
  }

  @Test func `a report by the values of a step says whom it is about, beside the whole flow`() throws {
    let run = try run("report", "funnel", "log.ndjson", "--by", "step.plan_chosen.props.plan")
    #expect(
      run.errors
        == "funnel: step.plan_chosen.props.plan is about the people who reached plan_chosen and have a value there; of all 40 people of shop/adhoc@1, 24 (60.0 %) completed\n"
    )
  }

  @Test func `groups lists those that a report counts, and merged states say what a report says`() throws {
    for attribution in ["anchor", "known"] {
      let list = try run(
        "groups", "entered", "log.ndjson", "--where", "ctx.variant=B", "--attribution", attribution, "--format", "lines")
      #expect(list.output.split(separator: "\n").count == (attribution == "known" ? 20 : 10))
      let options = ["--by", "ctx.variant", "--where", "ctx.variant!=C", "--attribution", attribution]
      let report = try FunnelRun(
        arguments: [
          "report", "funnel", "log.ndjson", "--steps", "welcome,plan_chosen,bought", "--app", "shop", "--now",
          "2026-12-01",
        ] + options, directory: place.url)
      let lines = Self.log.split(separator: "\n").map { "\($0)\n" }
      for (name, isOwn) in [("even", { $0 % 2 == 0 }), ("odd", { $0 % 2 == 1 })] as [(String, (Int) -> Bool)] {
        let own = lines.filter { line in
          let number = line.firstMatch(of: /"p(\d+)"/).flatMap { Int($0.1) } ?? 0
          return isOwn(number / 2)
        }
        try place.write(own.joined(), to: "\(name).ndjson")
        let fold = try FunnelRun(
          arguments: [
            "fold", "\(name).ndjson", "--state", "\(name).state", "--steps", "welcome,plan_chosen,bought", "--app",
            "shop", "--now", "2026-12-01",
          ] + options, directory: place.url)
        #expect(fold.status == 0, "\(fold.errors)")
      }
      let merged = try FunnelRun(arguments: ["merge", "odd.state", "even.state", "funnel"], directory: place.url)
      #expect(merged.output == report.output)
      // States have no events that a value could be looked for in.
      let told = report.errors.split(separator: "\n").filter { !$0.hasPrefix("funnel: no event has ") }
      #expect(merged.errors.split(separator: "\n") == told)
    }
  }
}
