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
    #expect(run.errors == "")
    let comparison = try Self.json(run)
    #expect(comparison["query"] as? NSDictionary == report["query"] as? NSDictionary)
    let rows = try #require(comparison["compare"] as? [[String: Any]])
    #expect(!rows.isEmpty)
    for row in rows {
      for side in ["a", "b"] { try Self.compare(row, side, with: report) }
      #expect((row["a"] as? [String: Any])?["label"] as? String == "A")
      #expect(row["sample_ratio"] is [String: Any])
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
    #expect(lines[2].hasPrefix("  ! A has 226 groups and B 207 where 1:9 was meant: chi² "), "\(run.output)")
    #expect(!(try workspace.run("compare", "cleaner", "--by", "ctx.variant").output.contains("!")))
  }

  @Test func `periods that overlap are told`() throws {
    let workspace = try SampleWorkspace(.cleaner)
    let run = try workspace.run(
      "compare", "cleaner", "--since", "2026-11-04", "--until", "2026-11-10", "--versus", "2026-11-01..2026-11-08")
    #expect(run.status == 0)
    #expect(
      run.errors
        == "funnel: the two periods overlap: what began in both counts on both sides, and the p values are too small\n")
  }

  private static let mistakes: [(arguments: [String], message: String)] = [
    ([], "nothing to compare, funnel compare, give one of --by KEY, --versions A,B, or --since A --until B --versus C..D"),
    (["--by", "ctx.variant", "--versions", "1,2"], "2 ways to compare, --by and --versions, give one of them"),
    (["--by", "ctx.variant", "--by", "ctx.os"], "several keys, --by ctx.variant --by ctx.os, compare by one"),
    (["--by", "version"], "versions have an option of their own, --by version, write --versions 1,2"),
    (["--by", "variant"], "not a dimension, --by variant, did you mean ctx.variant or props.variant?"),
    (
      ["--by", "ctx.variant", "--sides", "A"],
      "not two sides, --sides A, write them as A,B with the baseline first; \\, is a comma in a value"
    ),
    (["--by", "ctx.variant", "--sides", "A,A"], "twice the same side, --sides A,A, name two values"),
    (["--by", "ctx.variant", "--sides", "A,b"], "no group has ctx.variant=b, --sides A,b, did you mean B?"),
    (
      ["--by", "ctx.variant", "--sides", "control,B"],
      "no group has ctx.variant=control, --sides control,B, there are A (226), B (207)"
    ),
    (
      ["--by", "ctx.variant", "--where", "ctx.variant=B"],
      "only one value, --by ctx.variant, B (207), compare by a key with two"
    ),
    (
      ["--by", "week"],
      "3 values, --by week, 2026-W45 (275), 2026-W46 (139), 2026-W44 (45), name two of them with --sides 2026-W45,2026-W46"
    ),
    (
      ["--by", "ctx.variant", "--ratio", "even"],
      "not a ratio, --ratio even, write it as 50:50 or 1:2, each number from 0.000001 to 1000000"
    ),
    (
      ["--versions", "1,2", "--ratio", "1:1"],
      "--ratio goes with --by, not with --versions: nobody assigned these groups; leave it out"
    ),
    (["--versions", "1,2", "--sides", "1,2"], "--sides goes with --by, not with --versions, leave one of them out"),
    (["--versions", "1"], "not two versions, --versions 1, write them as 1,2 with the baseline first"),
    (["--versions", "2,2"], "twice the same version, --versions 2,2, name two"),
    (
      ["--versions", "1,9"],
      "no flow has both versions, --versions 1,9, clarity/onboarding has 1, 2; smilepile/onboarding has 1, 2"
    ),
    (
      ["--versions", "1,2", "--flow", "clarity/onboarding@2"],
      "no flow has both versions, --versions 1,2, name the flow without its version: --flow clarity/onboarding"
    ),
    (
      ["--versus", "14d..7d"],
      "no period to compare with, --versus 14d..7d, give --since and --until too; --versus is the baseline"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "14d"],
      "not a period, --versus 14d, write it as 2026-11-01..2026-11-08, or 14d..7d before now"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "7d..14d"],
      "an empty period, --versus 7d..14d, 2026-11-13T12:00:00.000Z is not before 2026-11-06T12:00:00.000Z, swap or widen them"
    ),
    (
      ["--since", "7d", "--until", "1d", "--versus", "x..14d"],
      "not a time, --versus x, write it as 2026-11-20, 2026-11-20T10:15:30Z, or 24h, 7d, 4w before now, at most 3650d"
    ),
  ]

  @Test(arguments: mistakes)
  func `every mistake is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let workspace = try SampleWorkspace(.cleaner)
    let run = try workspace.run(["compare", "cleaner"] + arguments)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test func `a key that no event has is told with the nearest, then that there is nothing to compare, 64`() throws {
    let run = try SampleWorkspace(.cleaner).run("compare", "cleaner", "--by", "ctx.varient")
    #expect(run.status == 64)
    #expect(
      run.errors == """
        funnel: no event has ctx.varient, asked for with --by, did you mean ctx.variant? 'funnel log keys cleaner' lists all
        funnel: no group has a value, --by ctx.varient, compare by another key; 459 groups without it

        """)
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
