import Foundation
import FunnelTestSupport
import Testing

/// A program may be started with standard input, output or error closed, as by cron jobs, daemons or `>&-`. No file of the
/// store that is opened then may get their descriptors, or output is written to it.
@Suite struct ClosedStreamsTests {
  /// Creates a store with a dead letter and the remains of an interrupted commit, so that commands have something to report,
  /// and files to ingest.
  private func place() throws -> Workplace {
    let place = try Workplace()
    try place.write(LogLine.completedRun("s1") + "{\"name\":\n" + LogLine.completedRun("s2", at: 20), to: "0.ndjson")
    try place.write(LogLine.completedRun("s3", at: 40) + "no json\n", to: "inbox/1.ndjson")
    _ = try place.ingest("0.ndjson")
    let journal = try place.text("funnel-store/log/journal.ndjson")
    try place.write(journal + "{\"v\":1,\"commit\":2", to: "funnel-store/log/journal.ndjson")
    return place
  }

  /// Each alone and all together. Two of three are closed in full sweeps: they are opened before a command is known, one after another.
  private static let closings =
    ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] + (Sweeps.isFull ? ["<&- >&-", ">&- 2>&-", "<&- 2>&-"] : [])
  private static let commands = [
    "ingest inbox/1.ndjson", "ingest - < inbox/1.ndjson", "rejected retry", "rejected ls", "forget s1", "retain --events 1d",
    "log compact --older-than 0d", "log repair", "log verify", "log cat", "report", "snapshots",
    "nightly --settle 0 --inbox inbox --out out",
  ]

  private func run(_ command: String, _ closing: String, in place: Workplace) throws -> FunnelRun {
    let clock = command == "log verify" || command == "rejected ls" ? "" : "--now \(Workplace.now)"
    return try FunnelRun(shell: "\"$FUNNEL\" \(command) \(clock) \(closing)", directory: place.url)
  }

  /// Returns the sorted lines of the log and the dead letters, read with `zcat` and not with the tool under test.
  private func lines(_ place: Workplace) throws -> String {
    try FunnelRun(shell: "cat funnel-store/{log,rejected}/dt=*/*.gz | zcat | LC_ALL=C sort", directory: place.url).output
  }

  @Test(arguments: commands)
  func `what is printed, and what is read, is never a file of the store`(command: String) throws {
    let before = try place()
    let open = try before.copy()
    _ = try run(command, "", in: open)
    let expected = try lines(open)
    for closing in Self.closings {
      let comment: Comment = "\(command) \(closing)"
      let place = try before.copy()
      let run = try run(command, closing, in: place)
      #expect([0, 65, 66, 74].contains(run.status), "\(comment): \(run.status) \(run.errors)")
      // With standard input closed, `ingest -` must fail, and the store lacks the lines it can't read.
      let isCut = command.hasPrefix("ingest -") && closing.contains("<&-")
      if isCut { #expect(run.status != 0, comment) } else { #expect(try lines(place) == expected, comment) }
      let journal = try place.text("funnel-store/log/journal.ndjson")
      #expect(journal.hasPrefix("{\"v\":1,\"commit\":1,"), "\(comment): \(journal.prefix(80))")
      #expect(try place.folder.contents("funnel-store/lock").isEmpty, comment)
      // `log verify` accepts the torn line of the journal, which remains if the command wrote nothing.
      let verification = try place.run("log", "verify")
      #expect(verification.status == 0, "\(comment): \(verification.errors)")
    }
  }

  @Test func `output that can't be written is no success`() throws {
    let place = try place()
    for command in ["log cat", "report", "rejected ls", "ingest inbox/1.ndjson"] {
      #expect(try run(command, ">&-", in: place).status == 74, "\(command)")
    }
  }
}
