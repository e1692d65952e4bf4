import FunnelTestSupport
import Testing

/// `funnel shard --links`: persons with several subjects on several machines.
@Suite struct ShardLinksTests {
  private static let now = Workplace.now
  private static let options: [[String]] = [
    [], ["--merge-limit", "2"], ["--count-by", "entry", "--by", "ctx.variant"], ["--count-by", "subject"],
    ["--where", "subject!~*2", "--since", "2026-11-17"],
  ]

  private let place: Workplace

  init() throws { place = try Workplace() }

  private func run(_ arguments: [String]) throws -> FunnelRun { try FunnelRun(arguments: arguments, directory: place.url) }

  /// Returns lines of which some name a user.
  private func lines(_ count: Int, using random: inout SeededGenerator) -> [String] {
    RandomEvents.lines(count, using: &random).map { line in
      guard line.hasPrefix("{\""), Int.random(in: 0..<3, using: &random) == 0 else { return line }
      let user =
        Bool.random(using: &random) ? "u\(Int.random(in: 0..<9, using: &random))" : "s\(Int.random(in: 0..<12, using: &random))"
      return "{\"user\":\"\(user)\"," + line.dropFirst()
    }
  }

  /// Folds each shard of some inputs, and returns the names of the states.
  private func states(of inputs: [String], into count: Int, _ words: [String], _ options: [String]) throws -> [String] {
    let sharded = try run(["shard", "--shards", "\(count)", "--now", Self.now] + words + inputs)
    #expect(sharded.status == 0, "\(sharded.errors)")
    var shards = [String](repeating: "", count: count)
    for line in sharded.output.split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      shards[try #require(Int(parts[0]))] += "\(parts[1])\n"
    }
    return try shards.enumerated().map { number, text in
      try place.write(text, to: "shard")
      let name = "\(number).state"
      #expect(try run(["fold"] + options + ["shard", "--now", Self.now, "--state", name]).status == 0)
      return name
    }
  }

  @Test(arguments: Sweeps.seeds(6, sample: 2))
  func `the report of shards with links is that of all lines, byte for byte`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for (name, count) in [("a.ndjson", 300), ("b.ndjson", 200)] {
      try place.write(lines(count, using: &random).map { $0 + "\n" }.joined(), to: name)
      let links = try run(["shard", "--links", "\(name).links", name, "--now", Self.now])
      #expect(links.status == 0 && links.output.isEmpty && links.errors.isEmpty, "\(links.errors)")
    }
    for count in [1, 2, 5] {
      for options in Self.options {
        let states = try states(
          of: ["a.ndjson", "b.ndjson"], into: count, ["--links", "a.ndjson.links", "--links", "b.ndjson.links"], options)
        let merged = try run(["merge"] + states + ["--format", "json"])
        let whole = try run(["report"] + options + ["a.ndjson", "b.ndjson", "--now", Self.now, "--format", "json"])
        #expect(merged.status == whole.status && merged.output == whole.output, "seed \(seed), \(count) shards, \(options)")
      }
    }
  }

  @Test func `a log without users has the same shards with links and without`() throws {
    var random = SeededGenerator(seed: 3)
    try place.write(RandomEvents.lines(200, using: &random).map { $0 + "\n" }.joined(), to: "log.ndjson")
    #expect(try run(["shard", "--links", "links", "log.ndjson", "--now", Self.now]).status == 0)
    #expect(try place.text("links").isEmpty)
    let without = try run(["shard", "--shards", "7", "log.ndjson", "--now", Self.now])
    let with = try run(["shard", "--shards", "7", "--links", "links", "log.ndjson", "--now", Self.now])
    #expect(with.output == without.output && with.errors == without.errors && without.errors.isEmpty)
  }

  /// A device and a tablet of one account.
  private func writeLog() throws {
    try place.write(
      LogLine.completedRun("phone") + LogLine.event("signed_in", "phone", at: 30, #""user":"ann""#)
        + LogLine.event("signed_in", "tablet", at: 40, #""user":"ann""#) + LogLine.completedRun("tablet", at: 50),
      to: "log.ndjson")
  }

  @Test func `links go to a file or to standard output, and without them shard warns`() throws {
    try writeLog()
    let links =
      #"{"app":"cleaner","subject":"phone","user":"ann"}"# + "\n" + #"{"app":"cleaner","subject":"tablet","user":"ann"}"# + "\n"
    #expect(try run(["shard", "--links", "links", "log.ndjson", "--now", Self.now]).output.isEmpty)
    #expect(try place.text("links") == links)
    #expect(try run(["shard", "--links", "-", "log.ndjson", "--now", Self.now]).output == links)
    let shards = try run(["shard", "--shards", "3", "log.ndjson", "--now", Self.now])
    #expect(shards.status == 0)
    #expect(
      shards.errors
        == "funnel: some events name a user; without --links the lines of one person may get several shards, so that it counts as several people\n"
    )
    let linked = try run(["shard", "--shards", "1000", "--links", "links", "log.ndjson", "--now", Self.now])
    #expect(linked.errors.isEmpty)
    #expect(Set(linked.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }).count == 1)
  }

  @Test func `links that lack one of the input, and files that have none, are errors`() throws {
    try writeLog()
    try place.write(#"{"app":"cleaner","subject":"phone","user":"ann"}"# + "\n", to: "some")
    func errors(_ words: String..., status: Int32) throws -> String {
      let result = try run(["shard"] + words + ["log.ndjson", "--now", Self.now])
      #expect(result.status == status, "\(words): \(result.errors)")
      return result.errors
    }
    #expect(
      try errors("--shards", "2", "--links", "some", status: 65)
        == "funnel: log.ndjson, an event names a user whom the links do not connect with its subject, write the links of all inputs first: funnel shard --links FILE INPUT…\n"
    )
    try place.write(#"{"app":"cleaner","subject":"phone","user":"ann"}"# + "\n{\"app\":\"cleaner\"}\n", to: "other")
    #expect(
      try errors("--shards", "2", "--links", "other", status: 65)
        == "funnel: other, line 2, not an object with app, subject and user, name files that 'funnel shard --links FILE INPUT…' wrote\n"
    )
    #expect(try errors("--shards", "2", "--links", "log.ndjson", status: 65).contains("log.ndjson, line 1, not an object"))
    #expect(try errors("--shards", "2", "--links", "none", status: 66).contains("none"))
    #expect(try errors(status: 64).contains("neither --shards nor --links; give --shards N"))
    #expect(try errors("--links", "a", "--links", "b", status: 64).contains("--links more than once, without --shards"))
    #expect(try errors("--links", "-", "--shards", "2", status: 64).contains("--links - with --shards"))
    #expect(try errors("--links", "absent/links", status: 73).contains("absent"))
  }

  @Test func `a fold names the account that too many subjects name`() throws {
    try writeLog()
    let words = ["--now", Self.now, "--merge-limit", "1"]
    let fold = try run(["fold", "log.ndjson", "--state", "state"] + words)
    #expect(fold.status == 0)
    #expect(
      fold.errors
        == "funnel: the account ann (2 subjects) is not one person, because more than 1 subjects name it; --merge-limit changes that\n"
    )
    let report = try run(["report", "log.ndjson", "--format", "json"] + words)
    #expect(try run(["merge", "state", "--format", "json"]).output == report.output)
  }
}
