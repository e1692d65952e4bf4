import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Files that somebody may still be writing stay in the inbox, and one that grew after it was taken is taken again.
@Suite struct NightlySettleTests {
  private let place: NightlyFixture

  init() throws { place = try NightlyFixture() }

  private static let minutes = 1.0 / 60
  private static let line = NightlyFixture.starts(1, at: "2026-11-20T10:00:00Z")

  @Test func `a file that was just written stays and is named, and a later night takes it`() throws {
    try place.upload(Self.line, as: "a.ndjson")
    try place.age("a.ndjson", hours: 0)
    let early = try place.night()
    #expect(early.status == 0 && early.errors == "")
    #expect(
      early.output.contains(" 0 files done, 0 failed, 1 left in the inbox (a.ndjson: changed less than 1m ago); 0 events"),
      "\(early.output)")
    #expect(try place.inbox() == ["a.ndjson"])
    let json = try place.night("--format", "json").output
    #expect(json.contains(#""left":[{"file":"a.ndjson","why":"young"}]"#))
    try place.age("a.ndjson", hours: 2 * Self.minutes)
    #expect(try place.night().output.contains(" 1 file done, 0 failed; 1 event accepted"))
    #expect(try place.inbox() == ["done/a.ndjson"])
  }

  @Test func `the span is an option, and 0 takes a file at once`() throws {
    try place.upload(Self.line, as: "a.ndjson")
    try place.age("a.ndjson", hours: 5 * Self.minutes)
    #expect(try place.night("--settle", "10m").output.contains("(a.ndjson: changed less than 10m ago)"))
    try place.age("a.ndjson", hours: 0)
    #expect(try place.night("--settle", "0").output.contains(" 1 file done"))
    let wrong = try place.night("--settle", "soon")
    #expect(wrong.status == 64)
    #expect(
      wrong.errors == "funnel: not a time span, --settle soon, write it as 60s or 5m; 0 reads all files at once\n",
      "\(wrong.errors)")
  }

  @Test func `a file whose age the night's own moment would hide is young by the machine's clock`() throws {
    try place.upload(Self.line, as: "a.ndjson")
    try place.age("a.ndjson", hours: 0)
    #expect(try place.night(now: "2030-01-01T00:00:00Z").output.contains("a.ndjson: changed less than 1m ago"))
  }

  @Test(arguments: [
    // The last line is cut, or has no line feed.
    ("a.ndjson", line + #"{"name":"perm_flow_st"#, true), ("a.ndjson", String(line.dropLast()), true),
    ("a.ndjson", line, false),
    ("a.csv", "subject,ts,name\nu,2026-11-20T10:00:00Z,perm_flow_start", true),
    // An array is complete when it is closed.
    ("a.json", "[\(line.dropLast())]", false), ("a.json", "\u{FEFF} [\(line.dropLast())]\n ", false),
    ("a.json", "[\(line.dropLast())", true), ("a.json", "[\(line.dropLast()),", true), ("a.json", "", false),
  ])
  func `a file whose end is missing stays for an hour`(name: String, text: String, stays: Bool) throws {
    try place.upload(text, as: name)
    try place.age(name, hours: 5 * Self.minutes)
    let run = try place.night("--settle", "0", "--app", "cleaner")
    #expect(run.output.contains("(\(name): its end is missing)") == stays, "\(run.output)")
    #expect(try place.inbox().contains(name) == stays)
    try place.age(stays ? name : "done/\(name)", hours: 1.1)
    #expect(try !place.night("--app", "cleaner").output.contains("its end is missing"))
    #expect(try !place.inbox().contains(name))
  }

  @Test func `a gzip or zip file stays if it is cut off, and needs no line feed`() throws {
    let raw = Array(Self.line.utf8.dropLast())
    let time = Timestamp(milliseconds: 0)
    let gzip = GzipMember.encode(raw.span, lines: 1, timestamps: time...time, with: Deflater())
    try place.upload(gzip, as: "whole.ndjson.gz")
    try place.upload(Array(gzip.dropLast(9)), as: "cut.ndjson.gz")
    try place.folder.write(raw, to: "z.ndjson")
    let zipping = try FunnelRun(
      shell: "python3 -c 'import zipfile; zipfile.ZipFile(\"z.zip\", \"w\").write(\"z.ndjson\")'",
      directory: URL(filePath: place.folder.path))
    #expect(zipping.status == 0, "\(zipping.errors)")
    let zip = try place.folder.contents("z.zip")
    try place.upload(zip, as: "whole.zip")
    try place.upload(Array(zip.dropLast(40)), as: "cut.zip")
    for name in try place.inbox() { try place.age(name, hours: 5 * Self.minutes) }
    let run = try place.night()
    #expect(run.output.contains("2 files done, 0 failed, 2 left in the inbox ("), "\(run.output)")
    #expect(try place.inbox() == ["cut.ndjson.gz", "cut.zip", "done/whole.ndjson.gz", "done/whole.zip"])
  }

  @Test func `every file that waits is named, before others that stay`() throws {
    for number in 1...5 {
      try place.upload(Self.line, as: "\(number).ndjson")
      try place.age("\(number).ndjson", hours: 0)
      try place.upload("x", as: "0\(number).txt")
    }
    let output = try place.night().output
    for number in 1...5 { #expect(output.contains("\(number).ndjson: changed less than 1m ago"), "\(output)") }
    #expect(output.contains("10 left in the inbox") && output.contains("5 more"), "\(output)")
  }

  @Test func `a dry run says what would stay`() throws {
    try place.upload(Self.line, as: "a.ndjson")
    try place.age("a.ndjson", hours: 0)
    let run = try place.night("--dry-run")
    #expect(
      run.output.contains("ingest 0 files, 0 B, 1 left in the inbox (a.ndjson: changed less than 1m ago)"),
      "\(run.output)")
    #expect(try place.inbox() == ["a.ndjson"])
  }

  @Test func `a file that grew after it was taken is taken again and named, once`() throws {
    let first = NightlyFixture.starts(5, at: "2026-11-20T10:00:00Z")
    try place.upload(first + #"{"name":"perm_fl"#, as: "phones/a.ndjson")
    let night = try place.night()
    #expect(night.output.contains(" 1 file done, 0 failed; 5 events accepted, 0 duplicates, 1 rejected"), "\(night.output)")
    // The uploader still has the file open, wherever it lies now.
    let file = try FileHandle(forWritingTo: URL(filePath: place.folder.path("inbox/done/phones/a.ndjson")))
    try file.seekToEnd()
    try file.write(
      contentsOf: Data(#"ow_start","ts":"2026-11-20T10:00:00Z","subject":"last","app":"cleaner"}"#.utf8) + Data("\n".utf8))
    try file.close()
    #expect(try place.night().output.contains("(done/phones/a.ndjson: changed less than 1m ago)"))
    try place.age("done/phones/a.ndjson", hours: 1)
    let second = try place.night()
    #expect(
      second.output.contains(" 0 files done, 0 failed, 1 grown and read again; 1 event accepted, 5 duplicates, 0 rejected"),
      "\(second.output)")
    #expect(
      second.errors
        == "funnel: a file grew after it was ingested, inbox/done/phones/a.ndjson, it was read again; upload as NAME.part, then rename\n"
    )
    #expect(try place.inbox() == ["done/phones/a.ndjson"])
    let third = try place.night("--format", "json")
    #expect(third.errors == "" && third.output.contains(#""files_grown":0}"#), "\(third.output)")
    #expect(try place.entered("latest/yesterday.json") == 6)
  }
}
