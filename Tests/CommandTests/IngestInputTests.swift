import Foundation
import FunnelTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The inputs of `funnel ingest`, and the errors for those that it can't read.
@Suite struct IngestInputTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func refused(_ arguments: String..., status: Int32 = 66, message: String, location: SourceLocation = #_sourceLocation)
    throws
  {
    let run = try FunnelRun(arguments: ["ingest"] + arguments, directory: place.url)
    #expect(run.status == status, sourceLocation: location)
    #expect(run.output == "", sourceLocation: location)
    #expect(run.errors == "funnel: \(message)\n", sourceLocation: location)
  }

  @Test func `what is not there, holds nothing or is a store is no input, and no store is made`() throws {
    try refused("none.ndjson", message: "no such input, none.ndjson, No such file or directory, check the path")
    try place.write("x", to: "empty/notes.md")
    try refused(
      "empty", message: "nothing to read, empty, the folder has no *.ndjson, *.json*, *.csv, *.tsv, *.log, *.txt, *.gz or *.zip"
    )
    try place.write("", to: "s/log/journal.ndjson")
    try place.write("", to: "s/rejected/x")
    try refused("s", message: "a store can't be used as input, s, read it with --store, or name its log folder")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path("funnel-store")))
    let run = try place.run("ingest")
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("funnel: Missing expected argument '<input> ...'"))
  }

  @Test func `a folder is searched, plain and gzip alike`() throws {
    try place.write(LogLine.completedRun("s1"), to: "logs/a/one.ndjson")
    try place.write(LogLine.completedRun("s2"), to: "logs/two.json")
    try place.write("no events", to: "logs/readme.txt")
    #expect(try FunnelRun(shell: "gzip -9 logs/two.json", directory: place.url).status == 0)
    try place.write("no events", to: "logs/readme.md")
    let summary = try place.ingest("logs")
    #expect(summary["inputs"] as? Int == 2)
    #expect(summary["accepted"] as? Int == 12)
  }

  @Test func `the log of one store goes into another, and comes out as the same bytes`() throws {
    let corrected = #""sent_at":1795168800000,"received_at":1795168900000,"ctx":{"b":1.50,"a":"ü"}"#
    _ = try place.ingest("-", input: LogLine.completedRun("s1") + LogLine.completedRun("s2", corrected))
    let summary = try place.ingest("funnel-store/log", "--store", "copy")
    #expect(summary["accepted"] as? Int == 12)
    #expect(summary["rejected"] as? Int == 0)
    #expect(try place.run("log", "cat").output == place.run("log", "cat", "--store", "copy").output)
    let piped = try FunnelRun(
      shell: #""$FUNNEL" log cat | "$FUNNEL" ingest - --store third --now 2026-11-21T12:00:00Z"#, directory: place.url)
    #expect(piped.status == 0)
    #expect(try place.run("log", "cat").output == place.run("log", "cat", "--store", "third").output)
  }

  @Test func `a FIFO is read until its writer is done`() throws {
    let run = try FunnelRun(
      shell: """
        mkfifo pipe && printf '%s' '\(LogLine.completedRun("s1"))' > log.ndjson
        (sleep 0.1; gzip -c log.ndjson > pipe) &
        "$FUNNEL" ingest pipe --now \(Workplace.now); status=$?; wait; exit $status
        """, directory: place.url)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("accepted 6 of 6 lines from 1 input"))
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func `a file that may not be read is no input`() throws {
    try place.write("", to: "log.ndjson")
    chmod(place.folder.path("log.ndjson"), 0)
    try refused("log.ndjson", message: "can't read, log.ndjson, Permission denied")
  }

  @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
  func `a store that may not be written ends with 73`() throws {
    _ = try place.ingest("-", input: LogLine.event("perm_flow_start"))
    chmod(place.folder.path("funnel-store"), 0o500)
    defer { chmod(place.folder.path("funnel-store"), 0o700) }
    try FileManager.default.removeItem(atPath: place.folder.path("funnel-store/lock"))
    let run = try FunnelRun(arguments: ["ingest", "-"], directory: place.url, input: LogLine.event("perm_flow_start"))
    #expect(run.status == 73)
  }

  @Test func `a store can't be made where a file stands`() throws {
    try place.write("", to: "file")
    let run = try FunnelRun(arguments: ["ingest", "-", "--store", "file"], directory: place.url)
    #expect(run.status == 73)
    #expect(run.errors == "funnel: cannot create the folder file: something else has that name, choose another\n")
    #expect(try place.text("file") == "")
  }

  @Test func `a store that another process writes to is waited for, then 75`() throws {
    _ = try place.ingest("-", input: LogLine.event("perm_flow_start"))
    let descriptor = open(place.folder.path("funnel-store/lock"), O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let run = try place.run("ingest", "-", "--lock-timeout", "100ms")
    #expect(run.status == 75)
    #expect(
      run.errors
        == "funnel: another command is writing to the store funnel-store, waited 100ms, try again later or raise --lock-timeout\n"
    )
    // Readers need no lock.
    #expect(try place.run("log", "cat").status == 0)
    #expect(try place.run("report", "--now", Workplace.now).status == 0)
    // Programs that other tests started meanwhile may hold the descriptor until they exec, so closing it is not enough.
    #expect(flock(descriptor, LOCK_UN) == 0)
    close(descriptor)
    #expect(try place.run("ingest", "-", "--lock-timeout", "100ms").status == 0)
    let wrong = try place.run("ingest", "-", "--lock-timeout", "soon")
    #expect(wrong.status == 64)
    #expect(wrong.errors == "funnel: not a time span, --lock-timeout soon, write it as 500ms, 90s or 5m, at most 3650d\n")
  }

  @Test func `a store of a newer version is left alone, 78`() throws {
    _ = try place.ingest("-", input: LogLine.event("perm_flow_start"))
    let journal = try place.text("funnel-store/log/journal.ndjson")
    try place.write(journal.replacingOccurrences(of: #"{"v":1,"#, with: #"{"v":3,"#), to: "funnel-store/log/journal.ndjson")
    let before = try place.storeBytes()
    let message =
      "funnel: the store's journal funnel-store/log/journal.ndjson is of version 3, this funnel reads versions up to 2, use a newer funnel\n"
    for command in [
      ["ingest", "-"], ["report"], ["log", "cat"], ["log", "ls"], ["log", "verify"], ["rejected", "ls"], ["rejected", "retry"],
    ] {
      let run = try FunnelRun(arguments: command, directory: place.url, input: LogLine.event("perm_flow_completed"))
      #expect(run.status == 78, "\(command)")
      #expect(run.errors == message, "\(command)")
    }
    #expect(try place.storeBytes() == before)
  }

  @Test func `definitions that can't be read stop an ingest before a store is made`() throws {
    try place.write("{", to: "flows/x.json")
    let run = try place.run("ingest", "-", "--schemas", "flows")
    #expect(run.status == 78)
    #expect(run.errors.hasPrefix("funnel: flows/x.json:1:2: "))
    #expect(try place.folder.files() == ["flows/x.json"])
  }

  @Test func `a file whose name is no text is told, and not passed over`() throws {
    try place.write(LogLine.completedRun("s1"), to: "in/a.ndjson")
    #expect(try FunnelRun(shell: "cp in/a.ndjson in/$'\\xff.ndjson'", directory: place.url).status == 0)
    try refused("in", message: "can't read, in/\u{FFFD}.ndjson, its name is not valid UTF-8, rename it")
    let night = try place.run("nightly", "--settle", "0", "--inbox", "in", "--out", "out", "--now", Workplace.now)
    #expect(night.status == 65 && night.output.contains("1 file done"), "\(night.output)")
    #expect(
      night.errors == "funnel: can't read, in/\u{FFFD}.ndjson, its name is not valid UTF-8, rename it\n", "\(night.errors)")
  }

  @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func `what may not be looked at is not taken for nothing`() throws {
    try place.write(LogLine.completedRun("s1"), to: "in/a.ndjson")
    try place.write(LogLine.completedRun("s2"), to: "in/sub/b.ndjson")
    _ = try place.ingest("in")
    let somebody = "LLVM_PROFILE_FILE=/dev/null setpriv --reuid=65534 --regid=65534 --clear-groups \"$FUNNEL\""
    #expect(try FunnelRun(shell: "chmod 755 . && chmod 744 in/sub", directory: place.url).status == 0)
    let folder = try FunnelRun(shell: "\(somebody) report in", directory: place.url)
    #expect(
      folder.status == 66 && folder.errors == "funnel: can't read, in/sub/b.ndjson, Permission denied\n", "\(folder.errors)")
    let store = try FunnelRun(shell: "\(somebody) ingest in/a.ndjson --dry-run", directory: place.url)
    #expect(store.status != 0 && store.output == "", "\(store.output)")
  }
}
