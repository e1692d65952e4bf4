import FunnelTestSupport
import Testing

/// Reports of properties with many numbers are the same bytes with an index, which has the numbers in columns, and without one.
@Suite struct MeasureReportTests {
  private static let questions = [
    ["steps"], ["steps", "--by", "ctx.variant"], ["steps", "--by", "day", "--order", "any"],
    ["steps", "--where", "step.welcome.props.duration_ms>30000"], ["funnel", "--where", "step.auth.props.wide!=7"],
    ["funnel", "--by", "step.finish.props.duration_ms"], ["steps", "--since", "2026-11-17T05:00:00Z"],
  ]

  private func report(_ place: Workplace, _ question: [String], of inputs: [String] = []) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["report"] + question + ["--flow", "trendy/onboarding", "--format", "json", "--now", Workplace.now] + inputs,
      directory: place.url)
  }

  /// Checks that reports are those of the log; the first question also if the log can't be read, so that the index answers it.
  private func expectReportsOfLog(
    _ place: Workplace, _ what: String, _ questions: ArraySlice<[String]> = questions[...1], hasIndex: Bool = true
  ) throws {
    for question in questions {
      let run = try report(place, question)
      #expect(run.status == 0, "\(what), \(question): \(run.errors)")
      let expected = try report(place, question, of: ["funnel-store/log"])
      #expect(run.output == expected.output, "\(what), \(question)")
      #expect(expected.output.contains("\"entered\""), "\(what), \(question)")
    }
    guard hasIndex else { return }
    let expected = try report(place, Self.questions[0])
    #expect(expected.output.contains("\"props.duration_ms\":{\"count\":"), "\(what)")
    let copy = try place.copy()
    for name in try copy.folder.files() where name.hasPrefix("funnel-store/log/") && name.hasSuffix(".gz") {
      let bytes = try copy.folder.contents(name)
      try copy.folder.write(
        bytes.prefix(bytes.count / 2) + Array(repeating: 0x55, count: bytes.count - bytes.count / 2), to: name)
    }
    let run = try report(copy, Self.questions[0])
    #expect(run.status == 0 && run.output == expected.output, "\(what): \(run.errors)")
  }

  private static let formats = ["json", "table", "csv", "markdown", "html"]
  /// The formats of a report whose numbers alone could differ: all in a full sweep, else the one that has them all, for the others are made of
  /// the same document.
  private static let numbers = Sweeps.isFull ? formats : ["json"]

  /// Returns the report of steps in some formats.
  private func steps(_ place: Workplace, _ arguments: [String] = [], as formats: [String] = numbers) throws -> [String] {
    try formats.map { format in
      let run = try FunnelRun(
        arguments: ["report", "steps", "--flow", "trendy/onboarding", "--format", format, "--now", Workplace.now] + arguments,
        directory: place.url)
      #expect(run.status == 0, "\(format), \(arguments): \(run.errors)")
      return run.output
    }
  }

  /// The last log may have strings of a property that was measured before, so that the log is read again.
  @Test(arguments: Sweeps.seeds(12, sample: 2))
  func `steps are the same bytes in each format, of files and of a store, on any threads, merged and made anew`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    var logs = RandomMeasurements(hasTexts: false)
    for (number, subjects) in [1100, 300, 30].enumerated() {
      logs.hasTexts = number > 0 && seed % 2 == 1
      try place.write(logs.lines(subjects: subjects, using: &random).joined(separator: "\n"), to: "logs/\(number).ndjson")
      _ = try place.ingest("logs/\(number).ndjson", "--threads", "\(number + 1)")
    }
    let whole = try steps(place, ["logs", "--threads", "1"], as: Self.formats)
    #expect(whole[0].contains("\"props.duration_ms\":{\"count\":"), "seed \(seed)")
    #expect(try steps(place, as: Self.formats) == whole, "seed \(seed), a store")
    let expected = Array(whole.prefix(Self.numbers.count))
    #expect(try steps(place, ["logs", "--threads", "3"]) == expected, "seed \(seed), files")
    for threads in ["1", "2", "5"] {
      #expect(try steps(place, ["--threads", threads]) == expected, "seed \(seed), \(threads) threads")
    }
    #expect(try place.run("log", "compact", "--older-than", "1d", "--now", Workplace.now).status == 0, "seed \(seed)")
    #expect(try steps(place) == expected, "seed \(seed), compacted")
    try place.folder.remove("funnel-store/index")
    #expect(try steps(place) == expected, "seed \(seed), without an index")
    _ = try place.ingest("logs/0.ndjson")
    #expect(try place.folder.files().contains { $0.hasSuffix(".fidx") }, "seed \(seed)")
    #expect(try steps(place) == expected, "seed \(seed), with a new index")
  }

  @Test(arguments: Sweeps.seeds(6, sample: 1))
  func `every report is that of the log, whatever is done to the store`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    var logs = RandomMeasurements(hasTexts: false)
    for (number, subjects) in [1200, 400, 5].enumerated() {
      try place.write(logs.lines(subjects: subjects, using: &random).joined(separator: "\n"), to: "\(number).ndjson")
      _ = try place.ingest("\(number).ndjson", "--threads", "\(number % 2 + 1)")
    }
    try expectReportsOfLog(place, "seed \(seed), ingested", Self.questions[...])
    let files = try report(place, Self.questions[0], of: ["0.ndjson", "1.ndjson", "2.ndjson"])
    #expect(try report(place, Self.questions[0]).output == files.output, "seed \(seed)")

    // Subjects below 40 come again and again, the others once.
    #expect(try place.run("forget", "--now", Workplace.now, "s0", "s7", "s1500").status == 0, "seed \(seed)")
    try expectReportsOfLog(place, "seed \(seed), forgotten")
    #expect(try place.run("log", "compact", "--older-than", "1d", "--now", Workplace.now).status == 0, "seed \(seed)")
    try expectReportsOfLog(place, "seed \(seed), compacted")
    #expect(try place.run("retain", "--events", "4d", "--now", Workplace.now).status == 0, "seed \(seed)")
    try expectReportsOfLog(place, "seed \(seed), retained")

    try place.folder.remove("funnel-store/index")
    try expectReportsOfLog(place, "seed \(seed), without an index", hasIndex: false)
    _ = try place.ingest("2.ndjson")
    try expectReportsOfLog(place, "seed \(seed), with a new index")
    let run = try #require(try place.folder.files().last { $0.hasSuffix(".fidx") })
    let bytes = try place.folder.contents(run)
    let expected = try report(place, Self.questions[0], of: ["funnel-store/log"])
    for _ in 0..<Sweeps.count(40, sample: 4) {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try place.folder.write(damaged, to: run)
      #expect(try report(place, Self.questions[0]).output == expected.output, "seed \(seed)")
    }
  }
}
