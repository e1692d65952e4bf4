import Foundation
import FunnelTestSupport
import Testing

/// What `funnel collect` rejected, in the spool that is an inbox.
@Suite struct CollectedLettersTests {
  private static let letter =
    #"{"v":1,"at":"2026-11-20T10:00:00.000Z","file":"collect/cleaner","line":1,"offset":0,"reason":"missing_field","#
    + #""message":"there is no subject","raw":"{}","raw_bytes":2,"app":"cleaner"}"# + "\n"

  @Test func `a night takes over dead letters and moves their files as others`() throws {
    let place = try NightlyFixture()
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z"), as: "collect-1.ndjson")
    try place.upload(Self.letter, as: "rejected/collect-2.ndjson")
    let run = try place.night()
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(run.output.contains(": 2 files done, 0 failed; 1 event accepted, 0 duplicates, 1 rejected (1 missing_field),"))
    #expect(try place.inbox() == ["done/collect-1.ndjson", "done/rejected/collect-2.ndjson"])
    // A file that was not moved, for the process was killed, adds nothing.
    try place.upload(Self.letter, as: "rejected/collect-2.ndjson")
    #expect(try place.night().status == 0)
    let listed = try FunnelRun("rejected", "ls", "--store", "store", directory: URL(filePath: place.folder.path))
    #expect(
      listed.output == """
        count  reason         first at           message
        1      missing_field  collect/cleaner:1  there is no subject

        """)
  }

  @Test func `an ingest of a spool with dead letters alone succeeds and tells them`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("spool/rejected"), withIntermediateDirectories: true)
    try folder.write(Array(Self.letter.utf8), to: "spool/rejected/collect-2.ndjson")
    let run = try FunnelRun("ingest", "--store", "store", "spool", directory: URL(filePath: folder.path))
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("accepted 0 of 1 line from 1 input\n  rejected    1: 1 missing_field\n"))
  }
}
