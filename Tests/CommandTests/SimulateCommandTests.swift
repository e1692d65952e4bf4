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
