import FunnelTestSupport
import Testing

/// After a crash, the next command that writes recovers the store and says in one line what it cut. No other command says
/// anything about it.
@Suite struct RecoveryLineTests {
  @Test(arguments: [
    "ingest new.ndjson", "rejected retry", "nightly --settle 0 --inbox inbox --out out", "log compact", "log repair",
    "forget nobody",
  ])
  func `every command that writes says what it cut, once`(command: String) throws {
    let place = try Workplace()
    _ = try place.ingest("-", input: LogLine.completedRun("s1") + "{\n")
    try place.write(LogLine.completedRun("s2"), to: "new.ndjson")
    try place.write(LogLine.completedRun("s3"), to: "inbox/new.ndjson")
    let journal = "funnel-store/log/journal.ndjson"
    let part = "funnel-store/log/dt=2026-11-20/part-00000.ndjson.gz"
    try place.folder.write(place.folder.contents(journal) + Array("{\"v\":1,".utf8), to: journal)
    try place.folder.write(place.folder.contents(part) + [31, 139, 8], to: part)
    for reading in ["report", "log ls", "log cat", "log info", "log verify", "rejected ls"] {
      let run = try FunnelRun(arguments: reading.split(separator: " ").map(String.init), directory: place.url)
      #expect(run.status == 0 && run.errors == "", "\(reading): \(run.errors)")
    }
    let arguments = command.split(separator: " ").map(String.init) + ["--now", Workplace.now]
    let first = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(
      first.errors
        == "funnel: recovered funnel-store: removed what an interrupted command left (3 bytes of parts, 7 bytes of the journal)\n"
    )
    #expect(first.status == 0)
    let second = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(second.status == 0 && second.errors == "", "\(second.errors)")
  }
}
