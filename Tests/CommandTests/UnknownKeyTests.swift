import Foundation
import FunnelTestSupport
import Testing

/// Messages about keys and values that a report is asked for and no event has, and errors for conditions that can't be parsed.
@Suite struct UnknownKeyTests {
  private let place: Workplace

  /// Three subjects with a context that complete the flow, and an unclaimed event, which alone has `ctx.rare`.
  private static let log =
    LogLine.completedRun("s1", #""ctx":{"variant":"A","country":"DE","app_version":"5.2"}"#)
    + LogLine.completedRun("s2", at: 60, #""ctx":{"variant":"B","country":"DE","app_version":"5.10"}"#)
    + LogLine.completedRun("s3", at: 90, #""ctx":{"variant":"B","country":"GB"},"props":{"trigger":"first_launch"}"#)
    + LogLine.event("opened", "s4", #""ctx":{"rare":"yes","country":"FR"}"#)

  init() throws {
    place = try Workplace()
    try place.write(Self.log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private static let mistakes: [(arguments: [String], message: String)] = [
    (
      ["--by", "ctx.varient"],
      "no event has ctx.varient, given with --by, did you mean ctx.variant? 'funnel log keys' lists all"
    ),
    (
      ["--where", "ctx.contry=DE"],
      "no event has ctx.contry, given with --where, did you mean ctx.country? 'funnel log keys' lists all"
    ),
    (
      ["--by", "ctx.trigger"],
      "no event has ctx.trigger, given with --by, did you mean props.trigger? 'funnel log keys' lists all"
    ),
    (["--by", "ctx.zzzzzzzz"], "no event has ctx.zzzzzzzz, given with --by, 'funnel log keys' lists all"),
    (["--where", "ctx.zzzzzzzz="], "no event has ctx.zzzzzzzz, given with --where, 'funnel log keys' lists all"),
    (
      ["--by", "step.photos.props.triger"],
      "no event has props.triger, given with --by step.photos.props.triger, did you mean props.trigger? 'funnel log keys' lists all"
    ),
    (
      ["--by", "step.photo.props.trigger"],
      "no flow of the report has a step photo, given with --by step.photo.props.trigger, did you mean photos?"
    ),
    (
      ["--where", "step.zzzzzzz.props.trigger=first_launch"],
      "no flow of the report has a step zzzzzzz, given with --where step.zzzzzzz.props.trigger, 'funnel schema show' prints a flow's steps"
    ),
    (["--where", "ctx.country=GE"], "no event has ctx.country=GE, given with --where, did you mean DE?"),
    (["--where", "ctx.country!=de,GB"], "no event has ctx.country=de, given with --where, did you mean DE?"),
    (["--where", "ctx.country=JP"], "no event has ctx.country=JP, given with --where, 'funnel log keys' lists its values"),
    (["--where", "ctx.country~J*"], "no event has ctx.country~J*, given with --where, 'funnel log keys' lists its values"),
    (
      ["--where", "ctx.country !~ J*"],
      "no event has ctx.country~J*, given with --where, 'funnel log keys' lists its values"
    ),
    (
      ["--where", "ctx.app_version >= 6"],
      "no event has ctx.app_version>=6, given with --where, 'funnel log keys' lists its values"
    ),
    (["--where", "day=2026-11-2"], "no day is written as 2026-11-2, given with --where, write it as 2026-11-20"),
    (["--where", "version=7"], "no flow of the report has version 7, given with --where, the version is 1"),
  ]

  @Test(arguments: mistakes.indices)
  func `a key or value that no event has is told with the nearest`(index: Int) throws {
    let (arguments, message) = Self.mistakes[index]
    let common =
      ["report", "funnel", "--flow", "cleaner/permissions_flow", "--format", "table", "--now", Workplace.now] + arguments
    let run = try FunnelRun(arguments: common, directory: place.url)
    #expect(run.status == 0)
    #expect(run.errors == "funnel: \(message)\n")
    // The message is the same without the index. For a file it names the file in the suggested command.
    try FileManager.default.removeItem(atPath: place.folder.path("funnel-store/index"))
    #expect(try FunnelRun(arguments: common, directory: place.url).errors == "funnel: \(message)\n")
    let fromFile = try FunnelRun(arguments: common + ["log.ndjson"], directory: place.url)
    let expected = message.replacing("'funnel log keys'", with: "'funnel log keys log.ndjson'")
    #expect(fromFile.errors == "funnel: \(expected)\n")
  }

  /// Returns the line that says whom a report by the values of the step photos is about; nothing for other keys.
  private static func reach(_ arguments: [String]) -> String {
    guard arguments == ["--by", "step.photos.ctx.variant"] else { return "" }
    return "funnel: \(arguments[1]) is about the people who reached Photo access and have a value there; "
      + "of all 3 people of cleaner/permissions_flow@1, 3 (100 %) completed\n"
  }

  @Test(arguments: [
    ["--by", "ctx.rare"], ["--where", "ctx.rare=yes"], ["--where", "ctx.country=FR"], ["--where", "ctx.country!=FR"],
    ["--where", "ctx.country="], ["--where", "ctx.country!="], ["--where", "ctx.country~*R"],
    ["--where", "ctx.app_version>=5.9"],
    ["--by", "day", "--where", "day>=2026-11", "--where", "version=1"], ["--by", "step.photos.ctx.variant"],
    ["--by", "version"],
    ["--where", "day="],
  ])
  func `what some event has is never told, whatever flow it belongs to`(arguments: [String]) throws {
    let common = ["report", "funnel", "--format", "table", "--now", Workplace.now] + arguments
    for input in [[], ["log.ndjson"]] {
      let run = try FunnelRun(arguments: common + input, directory: place.url)
      #expect(run.status == 0)
      // Whom a report by the values of a step is about is no mistake, and is the only thing that is told.
      #expect(run.errors == Self.reach(arguments), "\(run.errors)")
    }
  }

  @Test func `each problem is one line, and an empty log has none`() throws {
    let run = try place.run(
      "report", "--now", Workplace.now, "--by", "ctx.varient", "--by", "ctx.varient", "--where", "ctx.country=D,FX")
    #expect(
      run.errors == """
        funnel: no event has ctx.varient, given with --by, did you mean ctx.variant? 'funnel log keys' lists all
        funnel: no event has ctx.country=D, given with --where, did you mean DE?
        funnel: no event has ctx.country=FX, given with --where, did you mean FR?

        """)
    let empty = try Workplace()
    _ = try empty.ingest("-")
    #expect(try empty.run("report", "--now", Workplace.now, "--by", "ctx.x", "--where", "ctx.y=1").errors == "")
  }

  @Test func `of standard input only that nothing has it is told, and values that were seen`() throws {
    let run = try place.run(
      "report", "funnel", "-", "--now", Workplace.now, "--by", "ctx.varient", "--where", "ctx.country=DX", "--format", "table",
      input: Self.log)
    #expect(
      run.errors == """
        funnel: no event has ctx.varient, given with --by, check the spelling
        funnel: no event has ctx.country=DX, given with --where, did you mean DE?

        """)
  }

  @Test(arguments: [
    (["--by", "variant"], "not a key, --by variant, did you mean ctx.variant or props.variant?"),
    (["--by", "days"], "not a key, --by days, did you mean day?"),
    (
      ["--by", ""],
      "not a key, --by , give ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"
    ),
    (
      ["--where", "ctx.a"],
      "no operator in the condition, --where ctx.a, write it as ctx.a=VALUE, or with !=, ~, !~, <, <=, > or >= in place of ="
    ),
    (["--where", "contxt.a=1"], "not a key, --where contxt.a=1, did you mean ctx.contxt.a or props.contxt.a?"),
    (["--where", "ctx.app_version>="], "no value after >=, --where ctx.app_version>=, write it as ctx.app_version>=5.2"),
    (
      ["--where", "ctx.app_version>=new"],
      "neither a number nor a version after >=, --where ctx.app_version>=new, write it as ctx.app_version>=5.2, or compare texts with = or ~"
    ),
    (["--where", "day>=today"], "not a day after >=, --where day>=today, write it as day>=2026-11-20"),
    (["--where", "=\u{1B}[2J"], "no key before =, --where =\\u{1b}[2J, write it as ctx.KEY=VALUE"),
  ])
  func `what can't be read is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: ["report"] + arguments, directory: place.url)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test func `a version is compared by its numbers`() throws {
    func entered(_ condition: String) throws -> Int {
      let run = try place.run("report", "funnel", "--now", Workplace.now, "--format", "csv", "--where", condition)
      return run.output.split(separator: "\n").dropFirst().first.flatMap { Int($0.split(separator: ",")[4]) } ?? 0
    }
    #expect(try entered("ctx.app_version>=5.2") == 2)
    #expect(try entered("ctx.app_version > 5.9") == 1)
    #expect(try entered("ctx.app_version<5.9") == 1)
    #expect(try entered("ctx.app_version!=5.2,5.10") == 1)
  }
}
