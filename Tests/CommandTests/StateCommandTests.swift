import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// `funnel shard`, `funnel fold` and `funnel merge`: the reports of several machines.
@Suite struct StateCommandTests {
  private static let now = Workplace.now

  /// Options of a fold with the reports that can be made of it.
  private static let questions: [(options: [String], reports: [[String]])] = [
    ([], [[], ["funnel"], ["grants"], ["dropoff"], ["steps"], ["times"], ["trend"], ["outcomes"], ["breaches"], ["access"]]),
    (["--by", "ctx.variant", "--by", "week", "--where", "ctx.country!=", "--order", "any"], [[], ["steps"], ["breaches"]]),
    (
      ["--by", "ctx.variant", "--attribution", "known", "--where", "subject!~*7", "--by", "step.photos.ctx.variant"],
      [[], ["trend"]]
    ),
    (["--since", "2026-11-16", "--until", "2026-11-20", "--mature", "--tz", "Europe/Berlin"], [[], ["trend"], ["access"]]),
    (["--every", "week", "--count-by", "attempt", "--window", "36h"], [["trend"], ["funnel"]]),
    (["--after", "step:welcome", "--steps", "2", "--exclude", "step_back"], [["next"], ["funnel"]]),
    (["--steps", "step:welcome,step_completed", "--app", "trendy"], [["funnel"], ["times"]]),
    (["--flow", "trendy/onboarding"], [[], ["times"]]),
  ]

  /// Returns the options with which a report is asked for what a fold has counted.
  private func asked(_ report: [String], _ options: [String]) -> [String] {
    var options = options
    if report != ["trend"], let place = options.firstIndex(of: "--every") { options.removeSubrange(place...place + 1) }
    if report != ["next"], let place = options.firstIndex(of: "--after") { options.removeSubrange(place...place + 3) }
    return report + options
  }

  /// Puts the lines of a file into a file for each shard, `0.ndjson`, `1.ndjson`….
  private func shard(_ name: String, into count: Int, in place: Workplace, _ more: [String] = []) throws {
    let run = try FunnelRun(
      arguments: ["shard", name, "--shards", "\(count)", "--now", Self.now] + more, directory: place.url)
    #expect(run.status == 0)
    var shards = [String](repeating: "", count: count)
    for line in run.output.split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      shards[try #require(Int(parts[0]))] += "\(parts[1])\n"
    }
    for (number, text) in shards.enumerated() { try place.write(text, to: "\(number).ndjson") }
  }

  private func fold(_ name: String, to state: String, in place: Workplace, _ options: [String] = []) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["fold"] + options + [name, "--now", Self.now, "--state", state], directory: place.url)
  }

  private func run(_ arguments: [String], in place: Workplace) throws -> FunnelRun {
    try FunnelRun(arguments: arguments, directory: place.url)
  }

  @Test(arguments: Sweeps.seeds(4, sample: 2))
  func `every report of states is that of all lines, whatever the shards, the order and the shape of merging`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    let lines = RandomEvents.lines(400, .init(hasConflicts: true), using: &random) + ["{\"torn", "[]", ""]
    try place.write(lines.shuffled(using: &random).map { $0 + "\n" }.joined(), to: "all.log.ndjson")
    let count = Int.random(in: 1...6, using: &random)
    try shard("all.log.ndjson", into: count, in: place)
    for (options, reports) in Self.questions {
      // An option of next and an ad-hoc funnel are both called --steps, so what next takes stands behind it alone.
      for number in 0..<count { #expect(try fold("\(number).ndjson", to: "\(number).state", in: place, options).status == 0) }
      let order = (0..<count).map { "\($0).state" }.shuffled(using: &random)
      let cut = Int.random(in: 1...count, using: &random)
      #expect(try run(["merge"] + order[..<cut] + ["--state", "left.state"], in: place).status == 0)
      #expect(try run(["merge", "left.state"] + order[cut...].reversed() + ["--state", "sum.state"], in: place).status == 0)
      #expect(try run(["merge"] + order.sorted() + ["--state", "again.state"], in: place).status == 0)
      #expect(
        try place.folder.contents("sum.state") == place.folder.contents("again.state"),
        "seed \(seed), \(options): the bytes of states")
      for report in reports {
        let format = ["json", "markdown", "table", "html"].randomElement(using: &random)!
        let whole = try run(
          ["report"] + asked(report, options) + ["all.log.ndjson", "--now", Self.now, "--format", format], in: place)
        let merged = try run(["merge", "sum.state"] + report + ["--format", format], in: place)
        #expect(merged.status == whole.status)
        #expect(merged.output == whole.output, "seed \(seed), \(report) \(options) of \(count) shards as \(format)")
      }
    }
  }

  @Test func `a fold of one report is the same, and has no other`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a") + LogLine.completedRun("b", at: 20), to: "log.ndjson")
    #expect(try fold("log.ndjson", to: "grants.state", in: place, ["grants"]).status == 0)
    let merged = try run(["merge", "grants.state", "--format", "csv"], in: place)
    #expect(
      merged.output == (try run(["report", "grants", "log.ndjson", "--now", Self.now, "--format", "csv"], in: place)).output)
    let other = try run(["merge", "grants.state", "steps"], in: place)
    #expect(other.status == 65)
    #expect(
      other.errors == "funnel: the states have no report steps, only grants, fold the lines with it, or without a name\n")
  }

  @Test func `shards of known subjects never change`() throws {
    let place = try Workplace()
    let names = ["a", "b", "c", "d", "e", "f", "ü", "00000000-0000-4000-8000-000000000000"]
    try place.write(names.map { LogLine.event("perm_flow_start", $0) }.joined(), to: "log.ndjson")
    let run = try run(["shard", "log.ndjson", "--shards", "1000", "--now", Self.now], in: place)
    let shards = run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    #expect(shards == Self.knownShards)
  }

  /// They are part of the format: lines that two versions sharded are folded together.
  private static let knownShards = ["777", "67", "264", "346", "560", "259", "276", "523"]

  @Test func `a line is printed as it is, a foreign record in canonical form, a blank line not at all`() throws {
    let place = try Workplace()
    let lines = [
      #"{"name":"perm_flow_start" , "ts":1795168800000,"subject":"s\t1","app":"cleaner"}"#, "{\"name\":\t1}", "nothing",
      #"{"ts":1795168800000,"subject":"s2","app":"cleaner","name":"x"}"#,
    ]
    try place.write(lines.joined(separator: "\r\n") + "\n\n  \n", to: "log.ndjson")
    let native = try run(["shard", "log.ndjson", "--shards", "1", "--now", Self.now], in: place)
    #expect(native.output == lines.map { "0\t\($0)\n" }.joined())
    try place.write(
      #"[{"type":"track","event":"Flow Started","anonymousId":"u1","messageId":"m1","timestamp":"2026-11-20T10:00:00Z"}]"#,
      to: "segment.json")
    let foreign = try run(
      ["shard", "segment.json", "--from", "segment", "--app", "cleaner", "--shards", "1", "--now", Self.now], in: place)
    #expect(
      foreign.output
        == "0\t{\"name\":\"flow_started\",\"ts\":\"2026-11-20T10:00:00.000Z\",\"subject\":\"u1\",\"app\":\"cleaner\",\"seq\":0,\"id\":\"m1\",\"received_at\":\"2026-11-21T12:00:00.000Z\",\"v\":1}\n"
    )
  }

  @Test func `a damaged input ends shard with 65 after what could be read`() throws {
    let place = try Workplace()
    let raw = Array(LogLine.completedRun("a").utf8)
    let time = Timestamp(milliseconds: 0)
    let whole = GzipMember.encode(raw.span, lines: 6, timestamps: time...time, with: Deflater())
    try place.folder.write(Array(whole.dropLast(12)), to: "log.ndjson.gz")
    let run = try run(["shard", "log.ndjson.gz", "--shards", "2", "--now", Self.now], in: place)
    #expect(run.status == 65)
    #expect(run.errors.contains("log.ndjson.gz, line"))
    #expect(run.errors.contains("the lines after it are missing, get the file again"))
  }

  @Test(arguments: [#""offset":0,"events":9223372036854775807"#, #""offset":0,"events":-1"#, #""offset":-1,"events":1"#])
  func `a list of missing events with numbers that can't be is refused`(numbers: String) throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("s1"), to: "log.ndjson")
    #expect(try fold("log.ndjson", to: "log.state", in: place).status == 0)
    let line = "{\"path\":\"log/x\",\(numbers),\"reason\":\"gone\"}\n"
    try place.write(line + line, to: "missing.ndjson")
    let merged = try place.run("merge", "log.state", "--missing", "missing.ndjson", "--format", "json")
    #expect(merged.status == 65)
    #expect(
      merged.errors.hasPrefix("funnel: missing.ndjson:1, not an object with path, offset, events and reason"),
      "\(merged.errors)")
  }

  @Test(arguments: ["[[[[", "[[1", #"[{"a":[1"#, #"[{"a":"#, "[{"])
  func `a shard that begins with a refused line counts its other lines`(line: String) throws {
    let place = try Workplace()
    try place.write(line + "\n" + LogLine.completedRun("s1"), to: "log.ndjson")
    #expect(try fold("log.ndjson", to: "log.state", in: place).status == 0)
    let merged = try place.run("merge", "log.state", "funnel", "--format", "json")
    #expect(merged.output.contains("\"entered\":1"), "\(merged.output)")
    #expect(merged.errors.contains("1 of 7 lines"), "\(merged.errors)")
    try place.write(LogLine.completedRun("s1") + line + "\n", to: "other.ndjson")
    #expect(
      try place.run("merge", "log.state", "funnel", "--format", "json").output
        == place.run("report", "funnel", "other.ndjson", "--now", Self.now, "--format", "json").output)
  }

  @Test func `no line, or refused ones alone, are a state too`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a"), to: "log.ndjson")
    #expect(try fold("log.ndjson", to: "log.state", in: place).status == 0)
    let empty = try place.run("fold", "--state", "empty.state", "--now", Self.now)
    #expect(empty.status == 0 && empty.errors.isEmpty)
    #expect(try place.run("fold", "-", "--state", "bad.state", "--now", Self.now, input: "{}\nx\n").status == 0)
    #expect(try place.run("fold", "--state", "empty-too.state", "--now", Self.now).status == 0)
    let merged = try place.run("merge", "empty.state", "log.state", "empty-too.state", "funnel", "--format", "json")
    #expect(
      merged.output == (try run(["report", "funnel", "log.ndjson", "--now", Self.now, "--format", "json"], in: place)).output)
    let refused = try place.run("merge", "bad.state", "empty.state")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("2 of 2 lines were rejected: 1 invalid_json, 1 missing_field"))
  }

  @Test func `states that do not belong together are refused, and the difference is named`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a"), to: "a.ndjson")
    try place.write(LogLine.completedRun("b"), to: "b.ndjson")
    try place.write(
      #"{"app":"cleaner","flow":"mine","version":1,"title":"Mine","window":"7d","steps":[{"id":"one","label":"One","entered_by":["perm_flow_start"]}]}"#,
      to: "flows/cleaner.mine.v1.json")
    #expect(try fold("a.ndjson", to: "a.state", in: place).status == 0)
    let cases: [(options: [String], message: String)] = [
      (["--by", "ctx.os"], "b.state does not match a.state, --by is ctx.os, not left out"),
      (["--where", "ctx.os=iOS"], "b.state does not match a.state, --where is ctx.os=iOS, not left out"),
      (["--window", "1h"], "b.state does not match a.state, --window is 3600000ms, not left out"),
      (["--order", "strict"], "b.state does not match a.state, --order is strict, not left out"),
      (["--tz", "Europe/Berlin"], "b.state does not match a.state, --tz is Europe/Berlin, not left out"),
      (
        ["--since", "2026-11-01"],
        "b.state does not match a.state, their periods overlap: --since 2026-11-01T00:00:00.000Z, and all time"
      ),
      (["--schemas", "flows"], "b.state does not match a.state, it also has the flow cleaner/mine@1"),
      (["funnel"], "b.state does not match a.state, it has the reports funnel, not funnel, grants"),
    ]
    for (options, message) in cases {
      #expect(try fold("b.ndjson", to: "b.state", in: place, options).status == 0)
      let merged = try place.run("merge", "a.state", "b.state")
      #expect(merged.status == 65 && merged.output.isEmpty)
      #expect(merged.errors.hasPrefix("funnel: \(message)"), "\(merged.errors)")
      #expect(merged.errors.contains("fold both with the same options"))
    }
    let later = try place.run("fold", "b.ndjson", "--now", "2026-11-22", "--state", "b.state")
    #expect(later.status == 0)
    #expect(
      try place.run("merge", "a.state", "b.state").errors
        == "funnel: b.state does not match a.state, --now is 2026-11-22T00:00:00.000Z, not 2026-11-21T12:00:00.000Z, fold both with the same options\n"
    )
  }

  @Test func `the same state twice is refused, also in a sum, by another name`() throws {
    let place = try Workplace()
    for name in ["a", "b"] {
      try place.write(LogLine.completedRun(name), to: "\(name).ndjson")
      #expect(try fold("\(name).ndjson", to: "\(name).state", in: place).status == 0)
    }
    try place.folder.write(try place.folder.contents("a.state"), to: "copy.state")
    #expect(try place.run("merge", "a.state", "b.state", "--state", "sum.state").status == 0)
    for (states, message) in [
      (["a.state", "a.state"], "a.state, named twice"),
      (["a.state", "copy.state"], "copy.state counts events that a.state counts too"),
      (["sum.state", "b.state"], "b.state counts events that sum.state counts too"),
    ] {
      let merged = try run(["merge"] + states, in: place)
      #expect(merged.status == 65)
      #expect(merged.errors == "funnel: \(message), each state can be merged only once, leave one of them out\n")
    }
  }

  @Test func `a state that is cut or changed anywhere is refused`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a"), to: "a.ndjson")
    #expect(try fold("a.ndjson", to: "a.state", in: place, ["funnel", "--flow", "cleaner/permissions_flow"]).status == 0)
    let whole = try place.folder.contents("a.state")
    var random = SeededGenerator(seed: 11)
    for _ in 0..<30 {
      var bytes = whole
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      } else {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      try place.folder.write(bytes, to: "damaged.state")
      let merged = try place.run("merge", "damaged.state", "funnel")
      #expect(merged.status == 65 && merged.output.isEmpty, "seed 11: \(merged.errors)")
      #expect(merged.errors.hasPrefix("funnel: damaged.state, ") && merged.errors.split(separator: "\n").count == 1)
    }
    #expect(try place.run("merge", "nowhere.state").status == 66)
    #expect(try place.run("merge").status == 64)
    #expect(
      try place.run("merge", "a.state", "funell").errors
        == "funnel: cannot read funell: No such file or directory, check the path; did you mean the report funnel?\n")
    #expect(
      try place.run("merge", "a.ndjson").errors == "funnel: a.ndjson, not a state, make one with 'funnel fold --state FILE'\n")
  }

  @Test func `a state that was changed on purpose, with a checksum that fits, does no harm`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a") + LogLine.completedRun("b", at: 50), to: "a.ndjson")
    #expect(try fold("a.ndjson", to: "a.state", in: place, ["--flow", "cleaner/permissions_flow", "--by", "week"]).status == 0)
    let whole = try place.folder.contents("a.state")
    // Magic, version and checksum are in front of what is changed.
    let head = 8 + 1 + 32
    var random = SeededGenerator(seed: 12)
    for number in 0..<40 {
      var body = Array(whole[head...])
      // Most of a state is definitions, whose bytes are behind the settings; the counts are at the end.
      let range = number % 2 == 0 ? 0..<body.count : body.count * 3 / 4..<body.count
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        body[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let digits = Array(PlainSHA256.hexadecimal(body).utf8)
      let checksum = stride(from: 0, to: 64, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
      }
      try place.folder.write(whole[..<9] + checksum + body, to: "changed.state")
      let merged = try place.run("merge", "changed.state", "--format", "json")
      #expect([0, 64, 65, 78].contains(merged.status), "seed 12, state \(number): \(merged.status) \(merged.errors)")
    }
  }

  @Test func `a report says what the folds could not read`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("a"), to: "a.ndjson")
    #expect(try fold("a.ndjson", to: "a.state", in: place).status == 0)
    try place.write(
      #"{"path":"log/dt=2026-11-20/part-00000.ndjson.gz","offset":12,"events":3,"reason":"it is gone"}"#, to: "missing")
    let merged = try place.run("merge", "a.state", "funnel", "--missing", "missing", "--format", "json")
    #expect(merged.status == 74)
    #expect(merged.output.contains(#""path":"log/dt=2026-11-20/part-00000.ndjson.gz""#))
    #expect(
      merged.errors
        == "funnel: log/dt=2026-11-20/part-00000.ndjson.gz, 3 events missing from the report: it is gone\n")
  }

  @Test func `little memory changes no byte of a state`() throws {
    let place = try Workplace()
    let log = try place.run("simulate", "--flow", "trendy/onboarding", "--subjects", "3000")
    try place.write(log.output, to: "log.ndjson")
    #expect(try fold("log.ndjson", to: "usual.state", in: place).status == 0)
    #expect(try fold("log.ndjson", to: "small.state", in: place, ["--memory-limit", "64MiB", "--threads", "3"]).status == 0)
    #expect(try place.folder.contents("usual.state") == place.folder.contents("small.state"))
  }
}
