import Foundation
import FunnelTestSupport
import Testing

/// `funnel simulate` generates a log, which is the same each time for the same options.
@Suite struct SimulateCommandTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func `the same seed gives the same bytes, another seed others, in a file or not`() throws {
    let first = try place.run("simulate", "--subjects", "20", "--seed", "5")
    #expect(first.status == 0)
    #expect(first.errors == "")
    #expect(first.output.split(separator: "\n").count > 100)
    #expect(try place.run("simulate", "--subjects", "20", "--seed", "5").output == first.output)
    #expect(try place.run("simulate", "--subjects", "20", "--seed", "6").output != first.output)
    let file = try place.run("simulate", "--subjects", "20", "--seed", "5", "--output", "log.ndjson")
    #expect(file.output == "")
    #expect(file.errors.hasPrefix("log.ndjson: "))
    #expect(try place.text("log.ndjson") == first.output)
  }

  @Test func `its log is taken without a reject, and a report reads it from a pipe`() throws {
    let simulate = #""$FUNNEL" simulate --flow cleaner/permissions_flow --subjects 30 --seed 3"#
    let piped = try FunnelRun(
      shell: #"\#(simulate) | "$FUNNEL" report - --now 2026-12-31T00:00:00Z --format json"#, directory: place.url)
    #expect(piped.status == 0)
    #expect(piped.errors == "")
    #expect(piped.output.contains(#""app":"cleaner","flow":"permissions_flow","version":1,"#))
    let stored = try FunnelRun(
      shell:
        #"\#(simulate) | "$FUNNEL" ingest - --strict --now 2026-12-31T00:00:00Z > /dev/null && "$FUNNEL" report --now 2026-12-31T00:00:00Z --format json"#,
      directory: place.url)
    #expect(stored.output == piped.output)
  }

  @Test(arguments: [
    (["--from", "tomorrow"], "--from tomorrow: not a date, write it like 2026-11-01"),
    (
      ["--output", "x.ndjson.gz"],
      "--output x.ndjson.gz: the log is written uncompressed, leave out .gz or pipe it through gzip"
    ),
  ])
  func `a mistake in its options is one line`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: ["simulate"] + arguments, directory: place.url)
    #expect(run.status == 64)
    #expect(run.errors == "funnel: \(message)\n")
  }

  /// A flow of which the tool knows nothing but this definition.
  private static let definition = #"""
    {"app":"shop","flow":"order","version":1,"title":"Order","window":"1d","count_by":"attempt",
     "steps":[{"id":"cart","label":"Cart","entered_by":["cart_opened"]},{"id":"address","label":"Address"},
       {"id":"paid","label":"Paid","entered_by":[{"event":"payment","where":{"props.state":"done"}}]}],
     "events":{"cart_opened":{"props":{"items":{"type":"integer","minimum":1,"maximum":9}},"required":["items"]}},
     "outcomes":{"paid":{"label":"Paid","events":["payment"],"where":{"props.state":"done"},"success":true},
       "given_up":{"label":"Given up","events":["cart_emptied"],"success":false}}}
    """#

  @Test func `a flow of one's own is simulated from its definition, and a report folds it`() throws {
    try FileManager.default.createDirectory(at: place.url.appending(path: "flows"), withIntermediateDirectories: true)
    try place.write(Self.definition, to: "flows/shop.order.v1.json")
    let log = try place.run("simulate", "--schemas", "flows", "--subjects", "200", "--days", "20", "--output", "shop.ndjson")
    #expect(log.status == 0)
    let lines = try place.text("shop.ndjson").split(separator: "\n")
    #expect(lines.count > 500 && lines.allSatisfy { $0.contains(#""app":"shop","flow":"order","flow_version":1,"#) })
    let report = try place.run(
      "report", "funnel", "shop.ndjson", "--schemas", "flows", "--now", "2026-12-31T00:00:00Z", "--format", "csv")
    #expect(report.status == 0)
    // Some go on after the window of a day.
    #expect(
      report.errors.split(separator: "\n").allSatisfy { $0.contains("because the window of the definition is 1d: ") },
      "\(report.errors)")
    let reached = ["cart", "address", "paid"].map { step in
      report.output.split(separator: "\n").contains { $0.contains(",\(step),") && $0.hasPrefix("shop,order,1,") }
    }
    #expect(reached == [true, true, true], "\(report.output)")

    let named = try place.run("simulate", "--schemas", "flows", "--flow", "shop/order@1", "--subjects", "200", "--days", "20")
    #expect(try named.output == place.text("shop.ndjson"))
    let both = try place.run("simulate", "--schemas", "flows", "--flow", "all", "--subjects", "5")
    #expect(both.output.contains(#""app":"shop""#) && both.output.contains(#""app":"smilepile""#))
  }

  @Test func `a folder without definitions, a wrong one or another flow is told in one line`() throws {
    try FileManager.default.createDirectory(at: place.url.appending(path: "none"), withIntermediateDirectories: true)
    let empty = try place.run("simulate", "--schemas", "none")
    #expect(empty.status == 66)
    #expect(empty.errors == "funnel: no flow definition, none, name a folder that has *.json, or a file\n")
    try place.write(Self.definition, to: "order.json")
    let other = try place.run("simulate", "--schemas", "order.json", "--flow", "shop/ordr")
    #expect(other.status == 64)
    #expect(other.errors.hasPrefix("funnel: --flow shop/ordr: no such flow; did you mean shop/order? The flows are "))
    try place.write(#"{"app":"shop"}"#, to: "wrong.json")
    #expect(try place.run("simulate", "--schemas", "wrong.json").status == 78)
    #expect(try place.run("simulate", "--schemas", "missing").status == 66)
  }

  @Test func `an output that can't be made ends with 73, and an old file stays as it was`() throws {
    let run = try place.run("simulate", "--subjects", "1", "--output", "none/x.ndjson")
    #expect(run.status == 73)
    #expect(
      run.errors == "funnel: cannot write none/x.ndjson: No such file or directory, check the folder and its permissions\n")
    try place.write("old", to: "log.ndjson")
    #expect(try place.run("simulate", "--flow", "none/none", "--output", "log.ndjson").status == 64)
    #expect(try place.text("log.ndjson") == "old")
    #expect(try place.folder.files() == ["log.ndjson"])
  }
}
