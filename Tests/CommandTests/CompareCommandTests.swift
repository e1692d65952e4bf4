import Foundation
import FunnelTestSupport
import Testing

/// `funnel compare`, against what `funnel report` says of the same groups, and its usage errors.
@Suite struct CompareCommandTests {
  @Test(arguments: SampleFolder.simulated)
  func `the counts of both variants are those of a report by variant of the closed groups`(sample: SampleFolder) throws {
    let workspace = try SampleWorkspace(sample)
    try #require(workspace.ingest().status == 0)
    let report = try Self.json(workspace.run("report", "--by", "ctx.variant", "--mature", "--format", "json"))
    let run = try workspace.run("compare", "--by", "ctx.variant", "--format", "json")
    // Whoever is on no side is told.
    let notes = run.errors.split(separator: "\n")
    #expect(
      notes.allSatisfy {
        $0.contains(" in progress and not counted yet; ") || $0.contains(" have no ctx.variant at ")
          || $0.contains("; --order any counts those who took all steps") || $0.contains(" takes all as independent ")
          || $0.contains(" entered on ") || $0.contains("Nothing to compare yet: ")
      }, "\(run.errors)")
    let comparison = try Self.json(run)
    #expect(comparison["query"] as? NSDictionary == report["query"] as? NSDictionary)
    let rows = try #require(comparison["compare"] as? [[String: Any]])
    #expect(!rows.isEmpty)
    for row in rows {
      // Where nobody's window has closed, the report has no row.
      for side in ["a", "b"] where (row[side] as? [String: Any])?["entered"] as? Int != 0 {
        try Self.compare(row, side, with: report)
      }
      #expect((row["a"] as? [String: Any])?["label"] as? String == "A")
      let isEmpty = ["a", "b"].allSatisfy { (row[$0] as? [String: Any])?["entered"] as? Int == 0 }
      #expect(isEmpty ? row["sample_ratio"] is NSNull : row["sample_ratio"] is [String: Any])
    }
    #expect(try workspace.run("compare", sample.name, "--by", "ctx.variant", "--format", "json").output == run.output)
  }

  @Test func `versions are compared within a flow, each with the numbers of its own report`() throws {
    let workspace = try SampleWorkspace(.clarity)
    try #require(workspace.ingest().status == 0)
    let report = try Self.json(workspace.run("report", "--mature", "--format", "json"))
    let comparison = try Self.json(workspace.run("compare", "--versions", "1,2", "--format", "json"))
    let rows = try #require(comparison["compare"] as? [[String: Any]])
    #expect(rows.map { $0["flow"] as? String } == ["onboarding"])
    #expect(rows[0]["version"] is NSNull && rows[0]["dimension"] as? String == "version")
    #expect(rows[0]["sample_ratio"] is NSNull)
    for (side, version) in [("a", 1), ("b", 2)] {
      let funnel = try #require(
        Self.funnels(report).first { $0["flow"] as? String == "onboarding" && $0["version"] as? Int == version })
      let own = try #require(rows[0][side] as? [String: Any])
      #expect(own["label"] as? String == "v\(version)")
      #expect(own["entered"] as? Int == funnel["entered"] as? Int)
    }
    let people = try #require(Self.metric("reached:important_people", of: rows[0]))
    #expect(people["a"] is NSNull && people["b"] is [String: Any] && people["p"] is NSNull && people["test"] is NSNull)
  }

  @Test func `periods are compared with the numbers of their own reports`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    try #require(workspace.ingest().status == 0)
    let (first, second) = (["2026-11-01", "2026-11-08"], ["2026-11-08", "2026-11-12"])
    let comparison = try Self.json(
      workspace.run(
        "compare", "--since", second[0], "--until", second[1], "--versus", first.joined(separator: ".."), "--open-too",
        "--format", "json"))
    let row = try #require((comparison["compare"] as? [[String: Any]])?.first)
    #expect(row["dimension"] as? String == "period" && row["sample_ratio"] is NSNull)
    for (side, period) in [("a", first), ("b", second)] {
      let report = try Self.json(
        workspace.run("report", "funnel", "--since", period[0], "--until", period[1], "--format", "json"))
      let own = try #require(row[side] as? [String: Any])
      #expect(own["label"] as? String == period.joined(separator: ".."))
      #expect(own["entered"] as? Int == Self.funnels(report).first?["entered"] as? Int)
    }
  }

  @Test func `the first side is the baseline`() throws {
    let workspace = try SampleWorkspace(.trendy)
    func difference(_ sides: String) throws -> Double? {
      let run = try workspace.run("compare", "trendy", "--by", "ctx.variant", "--sides", sides, "--format", "json")
      let row = try #require((Self.json(run)["compare"] as? [[String: Any]])?.first)
      return Self.metric("conversion", of: row)?["difference"] as? Double
    }
    let difference = (ab: try #require(try difference("A,B")), ba: try #require(try difference("B,A")))
    #expect(difference.ab == -difference.ba && difference.ab != 0)
  }

  @Test func `sizes that are not as meant come first, and only then`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    let run = try workspace.run("compare", "cleaner", "--by", "ctx.variant", "--ratio", "1:9")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines[2].hasPrefix("  ! A has 226 people and B has 207, where a ratio of 1:9 was intended: chi² "), "\(run.output)")
    #expect(!(try workspace.run("compare", "cleaner", "--by", "ctx.variant").output.contains("!")))
  }

  @Test func `nobody meant the sizes of countries or versions to be alike`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    func hasRatio(_ arguments: String...) throws -> Bool {
      let run = try workspace.run(["compare", "cleaner", "--format", "json"] + arguments)
      let row = try #require((Self.json(run)["compare"] as? [[String: Any]])?.first)
      return row["sample_ratio"] is [String: Any]
    }
    let countries = ["--by", "ctx.country", "--sides", "US,DE"]
    #expect(try !hasRatio(countries[0], countries[1], countries[2], countries[3]))
    #expect(try hasRatio(countries[0], countries[1], countries[2], countries[3], "--ratio", "1:1"))
    #expect(try hasRatio("--by", "ctx.variant"))
  }

  @Test func `periods that overlap are told`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    let run = try workspace.run(
      "compare", "cleaner", "--since", "2026-11-04", "--until", "2026-11-10", "--versus", "2026-11-01..2026-11-08")
    #expect(run.status == 0)
    #expect(
      run.errors
        == "funnel: the two periods overlap: who began in both counts on both sides, and the p values are too small\n")
  }

  private static let mistakes: [(arguments: [String], message: String)] = [
    ([], "nothing to compare, funnel compare, give one of --by KEY, --versions A,B, or --since A --versus previous"),
    (["--by", "ctx.variant", "--versions", "1,2"], "2 ways to compare, --by and --versions, give one of them"),
    (["--by", "ctx.variant", "--by", "ctx.os"], "several keys, --by ctx.variant --by ctx.os, compare by one"),
    (["--by", "version"], "versions have an option of their own, --by version, write --versions 1,2"),
    (["--by", "variant"], "not a key, --by variant, did you mean ctx.variant or props.variant?"),
    (
      ["--by", "ctx.variant", "--sides", "A"],
      "only one side, --sides A, name 2 to 10 as A,B with the baseline first; \\, is a comma in a value"
    ),
    (
      ["--by", "ctx.variant", "--sides", "1,2,3,4,5,6,7,8,9,10,11"],
      "11 sides, --sides 1,2,3,4,5,6,7,8,9,10,11, name 2 to 10 as A,B with the baseline first; \\, is a comma in a value"
    ),
    (["--by", "ctx.variant", "--sides", "A,B,A"], "twice the same side, --sides A,B,A, name different values"),
    (["--by", "ctx.variant", "--sides", "A,b"], "nobody has ctx.variant=b, --sides A,b, did you mean B?"),
    (
      ["--by", "ctx.variant", "--sides", "control,B"],
      "nobody has ctx.variant=control, --sides control,B, there are A (253), B (247)"
    ),
    (
      ["--by", "ctx.variant", "--where", "ctx.variant=B"],
      "only one value, --by ctx.variant, B (247), compare by a key with two"
    ),
    (
      ["--by", "ctx.variant", "--ratio", "even"],
      "not a ratio, --ratio even, write it as 50:50 or 1:2, each number from 0.000001 to 1000000"
    ),
    (
      ["--versions", "1,2", "--ratio", "1:1"],
      "--ratio goes with --by, not with --versions: nobody was assigned to the sides; leave it out"
    ),
    (
      ["--versions", "1,2", "--drop-mixed"],
      "--drop-mixed goes with --by, not with --versions: nobody is on two sides; leave it out"
    ),
    (["--versions", "1,2", "--sides", "1,2"], "--sides goes with --by, not with --versions, leave one of them out"),
    (["--versions", "1"], "not 2 to 10 versions, --versions 1, write them as 1,2 with the baseline first"),
    (["--versions", "2,2"], "twice the same version, --versions 2,2, name different ones"),
    (
      ["--versions", "1,9"],
      "no flow has both versions, --versions 1,9, clarity/onboarding has 1, 2; smilepile/onboarding has 1, 2"
    ),
    (
      ["--versions", "1,2", "--flow", "clarity/onboarding@2"],
      "no flow has both versions, --versions 1,2, name the flow without its version: --flow clarity/onboarding"
    ),
    (
      ["--by", "ctx.variant", "--metric", "conversions"],
      "no such number, --metric conversions, did you mean conversion?"
    ),
    (
      ["--by", "ctx.variant", "--flow", "cleaner/permissions_flow", "--metric", "reached:completed"],
      "no such number, --metric reached:completed, to reach the last step is to convert, write --metric conversion"
    ),
    (
      ["--by", "ctx.variant", "--detect", "0"],
      "not a number of points, --detect 0, write one from 0.01 to 50, such as 5 or 0.5"
    ),
    (
      ["--by", "ctx.variant", "--detect", "5%"],
      "not a number of points, --detect 5%, write one from 0.01 to 50, such as 5 or 0.5"
    ),
    (
      ["--by", "ctx.variant", "--stratify", "ctx.variant"],
      "the sides differ by that key, --stratify ctx.variant, name another one than --by does"
    ),
    (
      ["--by", "ctx.variant", "--stratify", "os"], "not a dimension, --stratify os, did you mean ctx.os or props.os?"
    ),
    (
      ["--versus", "previous"],
      "no period to compare, --versus previous, give --since too, and --until if it does not end now"
    ),
    (
      ["--since", "2027-01-01", "--versus", "previous"],
      "an empty period, --since 2027-01-01T00:00:00.000Z is not before now, 2026-11-20T12:00:00.000Z, begin earlier"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "14d"],
      "not a period, --versus 14d, write previous, 2026-11-01..2026-11-08, or 14d..7d before now"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "7d..14d"],
      "an empty period, --versus 7d..14d, 2026-11-13T12:00:00.000Z is not before 2026-11-06T12:00:00.000Z, swap or widen them"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "x..14d"],
      "not a time, --versus x, write it as 2026-11-20, 2026-11-20T10:15:30Z, monday, yesterday, or 24h, 7d, 4w before now, at most 3650d"
    ),
  ]

  @Test(arguments: mistakes)
  func `every mistake is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let workspace = try SampleWorkspace(.cleaner)
    let run = try workspace.run(["compare", "cleaner"] + arguments)
    #expect(run.status == 64)
    #expect(run.output == "")
    // Only people of the log who finished in another order may be told before it.
    let lines = run.errors.split(separator: "\n").map(String.init)
    #expect(lines.last == "funnel: \(message)" && run.errors.hasSuffix("\n"), "\(run.errors)")
    #expect(lines.dropLast().allSatisfy { $0.contains("; --order any counts those who took all steps") }, "\(run.errors)")
  }

  @Test func `a key that no event has is told with the nearest, then that there is nothing to compare, 64`() throws {
    let run = try SampleWorkspace(.cleaner).run("compare", "cleaner", "--by", "ctx.varient")
    #expect(run.status == 64)
    let lines = [
      "funnel: no event has ctx.varient, given with --by, did you mean ctx.variant? 'funnel log keys cleaner' lists all",
      "funnel: nobody has a value, --by ctx.varient, it counts at the first step, write --attribution known or "
        + "--by step.ID.ctx.varient if it comes later; 527 without it",
    ]
    #expect(run.errors == lines.map { "\($0)\n" }.joined())
  }

  // MARK: - JSON

  private static func json(_ run: FunnelRun) throws -> [String: Any] {
    try #require(run.status == 0, "\(run.errors)")
    return try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private static func funnels(_ report: [String: Any]) -> [[String: Any]] { report["funnel"] as? [[String: Any]] ?? [] }

  private static func metric(_ name: String, of row: [String: Any]) -> [String: Any]? {
    (row["metrics"] as? [[String: Any]])?.first { $0["metric"] as? String == name }
  }

  /// Compares the counts of a side with those of a report by variant.
  private static func compare(_ row: [String: Any], _ side: String, with report: [String: Any]) throws {
    let own = try #require(row[side] as? [String: Any])
    func isOfSide(_ other: [String: Any]) -> Bool {
      ["app", "flow"].allSatisfy { other[$0] as? String == row[$0] as? String }
        && other["version"] as? Int == row["version"] as? Int
        && (other["by"] as? [String: Any])?["ctx.variant"] as? String == own["label"] as? String
    }
    let funnel = try #require(funnels(report).first(where: isOfSide))
    let grants = (report["grants"] as? [[String: Any]] ?? []).filter(isOfSide)
    #expect(own["entered"] as? Int == funnel["entered"] as? Int)
    for metric in row["metrics"] as? [[String: Any]] ?? [] {
      let name = try #require(metric["metric"] as? String).split(separator: ":").map(String.init)
      let share = try #require(metric[side] as? [String: Any])
      switch name[0] {
      case "conversion":
        #expect(share["count"] as? Int == funnel["completed"] as? Int)
        #expect(share["rate"] as? Double == funnel["conversion"] as? Double)
      case "reached":
        let step = (funnel["steps"] as? [[String: Any]])?.first { $0["id"] as? String == name[1] }
        #expect(share["count"] as? Int == step?["reached"] as? Int)
      default:
        let grant = grants.first { $0["permission"] as? String == name[1] }
        #expect(share["rate"] as? Double == grant?[name[0]] as? Double)
      }
    }
  }
}
