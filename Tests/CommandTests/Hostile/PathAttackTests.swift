import Foundation
import FunnelTestSupport
import Testing

/// Whatever a store contains, commands change nothing outside of it, do not hang, and report errors in their usual form.
@Suite struct PathAttackTests {
  private let work: Workplace
  private var store: String { work.folder.path("store") }
  private var outside: String { work.folder.path("outside") }

  private static let prepared = PreparedWorkplace { work in
    try work.write(LogLine.completedRun("s1") + "not JSON\n", to: "first.ndjson")
    // The first events are a day later, so that an ingest creates a part in a new folder.
    try work.write(
      LogLine.completedRun("s2", at: 86_400) + LogLine.completedRun("s3") + "no JSON either\n", to: "second.ndjson")
    try work.write("nobody is to read this\n", to: "outside/secret")
    let run = try MeasuredRun(
      ["ingest", work.folder.path("first.ndjson"), "--store", work.folder.path("store"), "--now", now])
    try #require(run.status == 0, "\(run.errors)")
  }

  init() throws { work = try Self.prepared.copy() }

  private static let now = "2026-11-22T12:00:00Z"

  @Test func `there are many attacks`() {
    #expect(PathAttack.all.count >= 20)
  }

  @Test(arguments: PathAttack.all)
  func `nothing outside of a store changes`(_ attack: PathAttack) throws {
    try attack.set(store, outside)
    let before = try snapshot()
    let ingest = try run("ingest", work.folder.path("second.ndjson"))
    try expectUnharmed(ingest, since: before)
    if attack.mustRefuse { #expect([73, 74].contains(ingest.status), "\(ingest.status): \(ingest.errors)") }
    for command in [
      ["report", "funnel"], ["log", "verify"], ["log", "ls"], ["log", "cat"], ["rejected", "show"], ["rejected", "retry"],
    ] {
      try expectUnharmed(try run(command), since: before)
    }
  }

  @Test func `without an attack all of this works`() throws {
    #expect(try run("ingest", work.folder.path("second.ndjson")).status == 0)
    #expect(try run("report", "funnel").output.contains("3 entered"))
  }

  @Test func `a change outside is noticed`() throws {
    let before = try snapshot()
    try work.write("changed", to: "outside/secret")
    #expect(try snapshot() != before)
  }

  @Test func `a store that is reached by a link of the user is as good as any other`() throws {
    try FileManager.default.createSymbolicLink(atPath: work.folder.path("link"), withDestinationPath: store)
    let run = try MeasuredRun(
      ["ingest", work.folder.path("second.ndjson"), "--store", work.folder.path("link"), "--now", Self.now])
    #expect(run.status == 0, "\(run.errors)")
  }

  /// While a command runs, a folder is replaced by a link to one outside and put back, again and again.
  @Test func `links that are swapped in meanwhile lead nowhere`() throws {
    try FileManager.default.copyItem(atPath: "\(store)/log", toPath: "\(outside)/log")
    let before = try snapshot()
    let swapper = """
      cd '\(store)' || exit 1
      for i in $(seq 60); do
        mv log real-log 2>/dev/null; ln -s ../outside/log log 2>/dev/null; sleep 0.001
        rm -f log; mv real-log log 2>/dev/null
      done
      """
    for round in 0..<3 {
      try work.write(LogLine.completedRun("swap\(round)", at: 100 + round), to: "more.ndjson")
      let run = try MeasuredRun(
        ["ingest", work.folder.path("more.ndjson"), "--store", store, "--now", Self.now, "--lock-timeout", "1s"],
        feeding: swapper)
      try expectUnharmed(run, since: before)
    }
  }

  @Test(arguments: ["--output", "--out"])
  func `an output inside of a folder of links leads nowhere else`(_ option: String) throws {
    let target = work.folder.path("reports")
    try FileManager.default.createDirectory(atPath: "\(target)/2026-11-21", withIntermediateDirectories: true)
    for name in ["7d.json", "30d.md"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(target)/2026-11-21/\(name)", withDestinationPath: "\(outside)/secret")
    }
    mkfifo("\(target)/2026-11-21/yesterday.json", 0o600)
    try FileManager.default.createSymbolicLink(atPath: "\(target)/latest", withDestinationPath: outside)
    let before = try snapshot()
    if option == "--out" {
      try work.write("", to: "inbox/empty.ndjson")
      let nightly = try run("nightly", "--inbox", work.folder.path("inbox"), "--out", target)
      try expectUnharmed(nightly, since: before)
      #expect([73, 74].contains(nightly.status), "\(nightly.status): \(nightly.errors)")
    } else {
      for path in ["\(target)", "\(target)/none/x.json", "/dev/full"] {
        let report = try run("report", "funnel", "--output", path)
        try expectUnharmed(report, since: before)
        #expect([73, 74].contains(report.status), "\(path) \(report.status): \(report.errors)")
      }
    }
  }

  @Test func `an inbox can't make the tool read what lies elsewhere`() throws {
    try FileManager.default.createDirectory(atPath: work.folder.path("inbox"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: work.folder.path("inbox/a.ndjson"), withDestinationPath: "\(outside)/secret")
    try FileManager.default.createSymbolicLink(atPath: work.folder.path("inbox/b"), withDestinationPath: outside)
    mkfifo(work.folder.path("inbox/c.ndjson"), 0o600)
    let before = try snapshot()
    let nightly = try run("nightly", "--inbox", work.folder.path("inbox"), "--out", work.folder.path("reports"))
    try expectUnharmed(nightly, since: before)
    #expect(nightly.status == 65, "\(nightly.errors)")
    #expect(!(try run("rejected", "show").output.contains("nobody")))
  }

  private func run(_ arguments: String...) throws -> MeasuredRun { try run(arguments) }

  private func run(_ arguments: [String]) throws -> MeasuredRun {
    let takesNow = ["ingest", "report", "nightly"].contains(arguments[0])
    return try MeasuredRun(arguments + ["--store", store] + (takesNow ? ["--now", Self.now] : []))
  }

  private func expectUnharmed(_ run: MeasuredRun, since before: [String: String]) throws {
    #expect(!run.isTimedOut, "it hung: \(run.output)\(run.errors)")
    #expect(run.status < 128, "it died of a signal: \(run.errors)")
    #expect(try snapshot() == before, "\(run.output)\(run.errors)")
    #expect(!(run.output + run.errors).contains("nobody is to read this"))
    for line in run.errors.split(separator: "\n") { #expect(line.hasPrefix("funnel: "), "\(line)") }
  }

  /// Returns the names, kinds, modes and sizes of everything outside, and the contents of files.
  private func snapshot() throws -> [String: String] {
    var result: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: outside) + ["."] {
      var status = stat()
      let path = "\(outside)/\(name)"
      lstat(path, &status)
      let bytes = status.st_mode & S_IFMT == S_IFREG ? try Data(contentsOf: URL(filePath: path)).base64EncodedString() : ""
      result[name] = "\(status.st_mode) \(status.st_size) \(bytes)"
    }
    return result
  }
}
