import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// How a nightly run handles errors, such as bad input, a locked store or wrong paths.
@Suite struct NightlyTroubleTests {
  private let place: NightlyFixture

  init() throws { place = try NightlyFixture() }

  @Test func `a file without a single event goes to failed, the others are taken, and the run ends with 65`() throws {
    try place.upload("garbage\n[1]\n", as: "bad.ndjson")
    try place.upload(NightlyFixture.starts(2, at: "2026-11-20T10:00:00Z") + "garbage\n", as: "good.ndjson")
    try place.upload("\n\n", as: "empty.json")
    let run = try place.night()
    #expect(run.status == 65)
    #expect(
      run.output.contains(
        ": 2 files done, 1 failed; 2 events accepted, 0 duplicates, 3 rejected (2 invalid_json, 1 not_an_object),"))
    #expect(
      run.errors
        == "funnel: no valid event in the file, inbox/bad.ndjson, 2 of 2 lines were rejected: 1 invalid_json, 1 not_an_object,"
        + " fix it and move it back to the inbox; it was moved to failed/\n")
    #expect(try place.inbox() == ["done/empty.json", "done/good.ndjson", "failed/bad.ndjson"])
    #expect(try place.entered("latest/yesterday.json") == 2)
  }

  @Test func `no link is followed: it goes to failed, and what it leads to is not read`() throws {
    try place.folder.write(Array(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z").utf8), to: "secret.ndjson")
    try FileManager.default.createSymbolicLink(
      atPath: place.folder.path("inbox/a.ndjson"), withDestinationPath: place.folder.path("secret.ndjson"))
    let run = try place.night()
    #expect(run.status == 65)
    #expect(
      run.errors == "funnel: a link or device, inbox/a.ndjson, links are not followed here, put the file itself there;"
        + " it was moved to failed/\n")
    #expect(run.output.contains(" 0 files done, 1 failed; 0 events accepted,"))
    #expect(try place.inbox() == ["failed/a.ndjson"])
  }

  @Test func `of a damaged gzip file what can be inflated is taken, and the mail says so`() throws {
    let raw = Array(NightlyFixture.starts(5000, at: "2026-11-20T10:00:00Z").utf8)
    let time = Timestamp(milliseconds: 0)
    let whole = GzipMember.encode(raw.span, lines: 5000, timestamps: time...time, with: Deflater())
    try place.upload(Array(whole.prefix(whole.count / 2)), as: "a.ndjson.gz")
    let run = try place.night()
    #expect(run.status == 0)
    #expect(run.output.contains("1 file done, 0 failed, 1 damaged;"))
    #expect(run.errors.hasPrefix("funnel: damaged gzip, inbox/a.ndjson.gz, the "))
    #expect(run.errors.contains(" events before the damage were ingested; send the file again\n"))
    #expect(try place.inbox() == ["done/a.ndjson.gz"])
  }

  @Test func `names already in done are never overwritten`() throws {
    for (index, name) in ["a.ndjson", "a.2.ndjson", "a.3.ndjson"].enumerated() {
      try place.upload(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z", prefix: "s\(index)"), as: "a.ndjson")
      #expect(try place.night().status == 0)
      #expect(try place.inbox().contains("done/\(name)"))
    }
    #expect(try place.inbox().count == 3)
    #expect(String(decoding: try place.folder.contents("inbox/done/a.ndjson"), as: UTF8.self).contains("\"s00\""))
    #expect(String(decoding: try place.folder.contents("inbox/done/a.3.ndjson"), as: UTF8.self).contains("\"s20\""))
  }

  @Test func `what is still being uploaded, hidden, or no log stays where it is`() throws {
    let text = NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z")
    let names = [
      ".a.ndjson", "a.ndjson.part", "a.ndjson.partial", "a.ndjson.tmp", "a.ndjson~", "notes.md", "up.part/a.ndjson",
    ]
    for name in names { try place.upload(text, as: name) }
    let run = try place.night()
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output.contains(
        " 0 files done, 0 failed, 7 left in the inbox (.a.ndjson: hidden, a.ndjson.part: still being written,"
          + " a.ndjson.partial: still being written, 4 more); 0 events accepted,"), "\(run.output)")
    #expect(try place.inbox() == names)
    let json = try place.night("--format", "json").output
    #expect(
      json.contains(
        #""files_left":7,"#)
        && json.contains(
          #","left":[{"file":".a.ndjson","why":"hidden"},{"file":"a.ndjson.part","why":"uploading"},"#
            + #"{"file":"a.ndjson.partial","why":"uploading"},{"file":"a.ndjson.tmp","why":"uploading"},"#
            + #"{"file":"a.ndjson~","why":"uploading"},{"file":"notes.md","why":"not_a_log"},{"file":"up.part","why":"uploading"}],"#
        ),
      "\(json)")
  }

  @Test func `of many files that are left some are named, and all are counted`() throws {
    for number in 10..<50 { try place.upload("x", as: "in/\(number).txt") }
    let run = try place.night()
    #expect(
      run.output.contains(
        " 40 left in the inbox (in/10.txt: not a log, in/11.txt: not a log, in/12.txt: not a log, 37 more);"), "\(run.output)")
    let json = try place.night("--format", "json").output
    #expect(json.contains(#""files_left":40,"#) && json.split(separator: #""why":"not_a_log""#).count == 21)
  }

  @Test func `crossed thresholds end with 1 after all is done`() throws {
    try place.upload(NightlyFixture.starts(3, at: "2026-11-20T10:00:00Z") + "garbage\n", as: "a.ndjson")
    let run = try place.night("--max-reject-rate", "10%", "--min-events", "4")
    #expect(run.status == 1)
    #expect(
      run.errors
        == "funnel: too many lines were rejected, 1 of 4, more than --max-reject-rate 10%, see 'funnel rejected ls --store store'\n"
        + "funnel: too few events, 3 are new in the store, fewer than --min-events 4, check whether the upload to the inbox works\n"
    )
    #expect(try place.inbox() == ["done/a.ndjson"])
    #expect(try place.entered("latest/yesterday.json") == 3)
    try place.upload(NightlyFixture.starts(3, at: "2026-11-20T11:00:00Z") + "garbage\n", as: "b.ndjson")
    #expect(try place.night("--max-reject-rate", "0.25", "--min-events", "3").status == 0)
  }

  @Test func `an empty inbox makes an empty store and empty reports`() throws {
    let run = try place.night()
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.output.hasPrefix("nightly 2026-11-21T02:10:00.000Z: 0 files done, 0 failed; 0 events accepted,"))
    #expect((try place.report("latest/30d.json")["funnel"] as? [Any])?.isEmpty == true)
    #expect(try place.night("--min-events", "1").status == 1)
  }

  @Test func `a missing inbox ends with 66 and makes nothing`() throws {
    try FileManager.default.removeItem(atPath: place.folder.path("inbox"))
    let run = try place.night()
    #expect(run.status == 66)
    #expect(run.output == "")
    #expect(run.errors == "funnel: no such inbox, inbox, create the folder or check --inbox\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [])
  }

  @Test func `while another command holds the store the run ends with 75 and touches nothing`() throws {
    #expect(try place.night().status == 0)
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    let disk = LocalFileSystem()
    let lock = try disk.open(StoragePath(place.folder.path("store/lock")), for: .update)
    #expect(try disk.tryLock(lock))
    let run = try withExtendedLifetime(lock) { try place.night("--lock-timeout", "50ms") }
    #expect(run.status == 75)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("funnel: another command is writing to the store store, waited 50ms, "))
    #expect(try place.inbox() == ["a.ndjson"])
  }

  @Test(arguments: [
    (["--inbox", "inbox", "--out", "inbox/out", "--store", "store"], "--out is inside the inbox, inbox/out,"),
    (["--inbox", "inbox", "--out", "out", "--store", "inbox/a/store"], "--store is inside the inbox, inbox/a/store,"),
    (["--inbox", "store/log", "--out", "out2", "--store", "store2"], "the inbox is inside a store, store/log,"),
    (["--inbox", "store", "--out", "out2", "--store", "store2"], "the inbox is inside a store, store,"),
    (["--inbox", ".", "--out", "../out2", "--store", "../store2"], "a store is inside the inbox, ./store,"),
  ])
  func `a place that would be read as input, or moved, is refused`(arguments: [String], message: String) throws {
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    #expect(try place.night().status == 0)
    let log = try place.folder.files().filter { $0.hasPrefix("store/log/") }
    // The folder is moved into a temporary one, so that folders beside it, such as ../out2, are deleted too.
    let inner = try TemporaryFolder()
    try FileManager.default.moveItem(atPath: place.folder.path, toPath: inner.path("work"))
    let run = try FunnelRun(arguments: ["nightly"] + arguments, directory: URL(filePath: inner.path("work")))
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("funnel: \(message) "))
    #expect(try inner.files().filter { $0.hasPrefix("work/store/log/") } == log.map { "work/\($0)" })
  }

  @Test func `reports that can't be written end with 73, and what was taken stays taken`() throws {
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z"), as: "a.ndjson")
    try FileManager.default.createDirectory(atPath: place.folder.path("out"), withIntermediateDirectories: true)
    try place.folder.write([], to: "out/2026-11-20")
    let run = try place.night()
    #expect(run.status == 73)
    #expect(run.output.contains("1 file done, 0 failed; 1 event accepted,"))
    #expect(run.output.hasSuffix("; no reports were written; failed: report\n"))
    #expect(run.errors.hasPrefix("funnel: cannot create the folder out/2026-11-20: something else has that name"))
  }

  @Test func `a run for a day gone by leaves the latest reports alone`() throws {
    #expect(try place.night().status == 0)
    let latest = try place.folder.contents("out/latest/7d.json")
    let run = try place.night(now: "2026-11-19T02:10:00Z")
    #expect(run.status == 0)
    #expect(
      run.errors
        == "funnel: out/latest was not changed, it has reports of the newer day 2026-11-20, delete them if they are wrong\n")
    #expect(try place.folder.contents("out/latest/7d.json") == latest)
    #expect(try place.report("2026-11-18/7d.json")["query"] != nil)
  }

  @Test func `help shows an example`() throws {
    let run = try FunnelRun("nightly", "--help")
    #expect(run.status == 0)
    #expect(run.output.contains("EXAMPLE\n  funnel nightly --inbox /srv/inbox --out /srv/reports --store /srv/store\n"))
  }
}
