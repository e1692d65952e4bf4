import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct NightlyCommandTests {
  private let place: NightlyFixture

  init() throws { place = try NightlyFixture() }

  @Test func `a night takes in the inbox, moves the files and writes all reports`() throws {
    try place.upload(NightlyFixture.starts(2, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    try place.upload(NightlyFixture.starts(3, at: "2026-11-15T10:00:00Z", prefix: "v"), as: "phone/7/b.jsonl")
    let run = try place.night()
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(
      run.output == "nightly 2026-11-21T02:10:00.000Z: 2 files done, 0 failed; 5 events accepted, 0 duplicates, 0 rejected,"
        + " 0 unclaimed; reports up to 2026-11-20 in out/2026-11-20\n")
    #expect(try place.inbox() == ["done/a.ndjson", "done/phone/7/b.jsonl"])

    let names = ["yesterday", "7d", "30d"].flatMap { range in
      ["dropoff.csv", "funnel.csv", "grants.csv", "html", "json", "md"].map { "\(range).\($0)" }
    }
    let written = try place.folder.files().filter { $0.hasPrefix("out/") }
    #expect(
      written
        == (["out/index.html", "out/status.json"]
        + ["2026-11-20", "latest"].flatMap { day in names.map { "out/\(day)/\($0)" } }).sorted())
    for name in names {
      #expect(try place.folder.contents("out/latest/\(name)") == place.folder.contents("out/2026-11-20/\(name)"))
    }
    #expect(try place.entered("latest/yesterday.json") == 2)
    #expect(try place.entered("latest/7d.json") == 5)
    let query = try #require(try place.report("latest/7d.json")["query"] as? [String: Any])
    #expect(query["since"] as? String == "2026-11-14T00:00:00.000Z")
    #expect(query["until"] as? String == "2026-11-21T00:00:00.000Z")
    #expect(query["now"] as? String == "2026-11-21T02:10:00.000Z")
    let csv = String(decoding: try place.folder.contents("out/latest/yesterday.funnel.csv"), as: UTF8.self)
    #expect(csv.hasPrefix("app,flow,version,"))
    #expect(csv.contains("cleaner,permissions_flow,1,"))
  }

  @Test func `the reports are those that funnel report prints for the same days`() throws {
    try place.upload(NightlyFixture.starts(4, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    #expect(try place.night().status == 0)
    let directory = URL(filePath: place.folder.path)
    let options = ["--store", "store", "--now", "2026-11-21T02:10:00Z", "--since", "2026-11-20", "--until", "2026-11-21"]
    let json = try FunnelRun(arguments: ["report", "--format", "json"] + options, directory: directory)
    #expect(Array(json.output.utf8) == (try place.folder.contents("out/latest/yesterday.json")))
    let csv = try FunnelRun(arguments: ["report", "grants", "--format", "csv"] + options, directory: directory)
    #expect(Array(csv.output.utf8) == (try place.folder.contents("out/latest/yesterday.grants.csv")))
    let markdown = try FunnelRun(arguments: ["report", "--format", "markdown"] + options, directory: directory)
    #expect(Array(markdown.output.utf8) == (try place.folder.contents("out/latest/yesterday.md")))
  }

  @Test func `the index compares the last day with the week before as it was at the same age`() throws {
    let directory = URL(filePath: place.folder.path)
    let simulation = try FunnelRun(
      "simulate", "--flow", "cleaner/permissions_flow", "--subjects", "600", "--seed", "7", "--from", "2026-11-08", "--days",
      "14", directory: directory)
    try place.upload(simulation.output, as: "a.ndjson")
    #expect(try place.night(now: "2026-11-21T02:10:00Z").status == 0)
    var (entered, completed) = (0, 0)
    for day in 13..<20 {
      let run = try FunnelRun(
        "report", "funnel", "--store", "store", "--since", "2026-11-\(day)", "--until", "2026-11-\(day + 1)", "--now",
        "2026-11-\(day + 1)T02:10:00Z", "--format", "json", directory: directory)
      let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
      let row = try #require((report["funnel"] as? [[String: Any]])?.first)
      entered += row["entered"] as? Int ?? 0
      completed += row["completed"] as? Int ?? 0
    }
    #expect(entered > 100 && completed > 30)
    let index = String(decoding: try place.folder.contents("out/index.html"), as: UTF8.self)
    let tenths = Int((Double(completed) / Double(entered) * 1000).rounded())
    let share = "\(tenths / 10).\(tenths % 10) % of \(entered)"
    #expect(index.contains("<tr><th scope=\"row\"><strong>Conversion</strong></th><td>\(share)</td>"))
    #expect(
      index.contains("No clear change from the week before.")
        != index.contains("Changes from the week before that are larger than chance"))
    // The last day's pages stand above all else, and its conversion in the list of flows where there are several.
    let header = index.components(separatedBy: "</header>")[0]
    for page in ["yesterday", "7d", "30d"] { #expect(header.contains("href=\"2026-11-20/\(page).html\"")) }
    for page in ["yesterday", "7d", "30d"] { #expect(index.contains("href=\"2026-11-20/\(page).html\"")) }
  }

  @Test func `a log that ends at midnight has no hours after it on any day of the index`() throws {
    let directory = URL(filePath: place.folder.path)
    let simulation = try FunnelRun(
      "simulate", "--flow", "cleaner/permissions_flow", "--subjects", "600", "--seed", "7", "--from", "2026-11-08", "--days",
      "14", directory: directory)
    // The upload was made at the end of the last day.
    let lines = simulation.output.split(separator: "\n").filter { line in
      line.firstRange(of: "\"ts\":\"").map { line[$0.upperBound...] < "2026-11-21T00:00:00" } ?? false
    }
    try place.upload(lines.joined(separator: "\n") + "\n", as: "a.ndjson")
    #expect(try place.night(now: "2026-11-21T03:00:00Z").status == 0)
    var completed = 0
    for day in 13..<20 {
      let run = try FunnelRun(
        "report", "funnel", "--store", "store", "--since", "2026-11-\(day)", "--until", "2026-11-\(day + 1)", "--now",
        "2026-11-\(day + 1)T00:00:00Z", "--format", "json", directory: directory)
      let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
      let row = try #require((report["funnel"] as? [[String: Any]])?.first)
      completed += row["completed"] as? Int ?? 0
    }
    let run = try FunnelRun(
      "report", "funnel", "--store", "store", "--since", "2026-11-13", "--until", "2026-11-20", "--format", "json", "--now",
      "2026-11-21T03:00:00Z", directory: directory)
    let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let row = try #require((report["funnel"] as? [[String: Any]])?.first)
    let entered = try #require(row["entered"] as? Int)
    let tenths = Int((Double(completed) / Double(entered) * 1000).rounded())
    let index = String(decoding: try place.folder.contents("out/index.html"), as: UTF8.self)
    #expect(index.contains("<td>\(tenths / 10).\(tenths % 10) % of \(entered)</td>"))
  }

  @Test func `days begin at midnight in the zone asked for`() throws {
    // 23:30 UTC is half past midnight of the 21st in Berlin.
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T23:30:00Z"), as: "a.ndjson")
    #expect(try place.night("--tz", "Europe/Berlin").status == 0)
    #expect(try place.entered("2026-11-20/yesterday.json") == nil)
    #expect(try place.night("--tz", "Europe/Berlin", now: "2026-11-21T23:10:00Z").status == 0)
    #expect(try place.entered("2026-11-21/yesterday.json") == 1)
    let query = try #require(try place.report("2026-11-21/yesterday.json")["query"] as? [String: Any])
    #expect(query["since"] as? String == "2026-11-20T23:00:00.000Z")
  }

  @Test func `a second run takes nothing and writes the same reports`() throws {
    try place.upload(NightlyFixture.starts(2, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    #expect(try place.night().status == 0)
    let before = try place.folder.contents("out/latest/30d.json")
    let run = try place.night("--format", "json")
    #expect(run.status == 0)
    let summary = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(summary["files_done"] as? Int == 0)
    #expect(summary["accepted"] as? Int == 0)
    #expect(summary["events_in_store"] as? Int == 2)
    #expect(summary["reports"] as? String == "out/2026-11-20")
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(try place.folder.contents("out/latest/30d.json") == before)
  }

  @Test func `a file that was committed but not moved adds nothing and is moved`() throws {
    try place.upload(NightlyFixture.starts(2, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    let ingest = try FunnelRun(
      "ingest", "inbox/a.ndjson", "--store", "store", "--now", "2026-11-21T02:00:00Z",
      directory: URL(filePath: place.folder.path))
    #expect(ingest.status == 0)
    let run = try place.night()
    #expect(run.status == 0)
    #expect(run.output.contains("1 file done, 0 failed; 0 events accepted, 2 duplicates,"))
    #expect(try place.inbox() == ["done/a.ndjson"])
    #expect(try place.entered("latest/yesterday.json") == 2)
  }

  @Test func `a run that is killed at any moment is made good by the next`() throws {
    let text = NightlyFixture.starts(20_000, at: "2026-11-20T10:00:00Z")
    for index in 0..<4 { try place.upload(text.replacing("\"u", with: "\"u\(index)-"), as: "\(index).ndjson") }
    for milliseconds in [5, 60, 150, 300] {
      let process = Process()
      process.executableURL = FunnelRun.executable
      process.arguments = [
        "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", "2026-11-21T02:10:00Z",
      ]
      process.currentDirectoryURL = URL(filePath: place.folder.path)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(milliseconds) * 1000)
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
    let run = try place.night("--format", "json")
    #expect(run.status == 0)
    #expect(run.output.contains("\"events_in_store\":80000,"))
    #expect(try place.inbox() == (0..<4).map { "done/\($0).ndjson" })
    #expect(try place.entered("latest/yesterday.json") == 80_000)
    #expect(try place.folder.files().filter { $0.hasPrefix("out/") }.allSatisfy { !$0.hasSuffix(".tmp") })
  }
}
