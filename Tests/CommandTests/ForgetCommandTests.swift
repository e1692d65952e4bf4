import Foundation
import FunnelTestSupport
import Testing

/// `funnel forget` leaves no trace of the erased subjects in the store, and changes nothing for others.
@Suite struct ForgetCommandTests {
  private static let subject = "inst_4f2a91c07d"
  private let place: Workplace

  private static let prepared = PreparedWorkplace { place in
    var random = SeededGenerator(seed: 3)
    // Two commits make two runs of the index. The subject is one of a dozen.
    for number in 0..<2 {
      let lines = RandomEvents.lines(250, .init(hasConflicts: false), using: &random)
      let bad = [#"{"name":"opened","subject":"\#(subject)"}"#, #"{"subject":"\#(escaped)""#]
      let text = (lines + bad).joined(separator: "\n").replacing("\"s3\"", with: "\"\(subject)\"") + "\n"
      try place.write(text, to: "\(number).ndjson")
      try place.write(
        text.split(separator: "\n").filter { !$0.contains(subject) && !$0.contains(escaped) }.joined(separator: "\n"),
        to: "without/\(number).ndjson")
      _ = try place.ingest("\(number).ndjson")
      _ = try place.ingest("without/\(number).ndjson", "--store", "never")
    }
  }

  init() throws { place = try Self.prepared.copy() }

  /// The subject with a JSON escape for each character.
  private static let escaped = subject.utf8.map { "\\u00" + String($0, radix: 16) }.joined()

  private func forget(_ arguments: String..., input: String = "") throws -> FunnelRun {
    try FunnelRun(arguments: ["forget", "--now", Workplace.now] + arguments, directory: place.url, input: input)
  }

  private func traces(_ place: Workplace, in path: String = "funnel-store/") throws -> [String] {
    try TraceSearch(for: Self.subject).traces(in: place.folder, below: path)
  }

  @Test func `no trace stays in any file of the store, and the search finds one wherever it is put`() throws {
    // The search must find the subject before it is erased: in the log, the dead letters (as text and in escapes) and the
    // index.
    let (before, bytes) = (try traces(place), try place.storeBytes())
    for place in ["funnel-store/log/", "funnel-store/rejected/", "funnel-store/index/run-"] {
      #expect(before.contains { $0.hasPrefix(place) }, "\(place): \(before)")
    }
    #expect(before.contains { $0.hasSuffix(": key of the index") } && before.contains { $0.hasSuffix(": escapes in a string") })
    try place.write("\(Self.subject)", to: "funnel-store/index/.run-1-1-x.fidx.abc.tmp")
    let run = try forget(Self.subject)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try traces(place) == [])
    // The search must also find the subject if a single file from before the erasure is put back.
    for name in before.map({ String($0.prefix { $0 != " " && $0 != ":" }) }) {
      let broken = try place.copy()
      try FileManager.default.createDirectory(
        at: URL(filePath: broken.folder.path(name)).deletingLastPathComponent(), withIntermediateDirectories: true)
      try broken.folder.write(try #require(bytes[name]), to: name)
      #expect(try !traces(broken).isEmpty, "\(name)")
    }
  }

  @Test func `every report is that of a store that never had the subject`() throws {
    let others = try others()
    _ = try forget(Self.subject)
    for question in [[], ["--by", "ctx.variant"], ["--count-by", "attempt", "--by", "day"], ["--by", "props.trigger"]] {
      let report = try FunnelRun(
        arguments: ["report", "--now", Workplace.now, "--format", "json"] + question, directory: place.url)
      let expected = try FunnelRun(
        arguments: ["report", "--now", Workplace.now, "--format", "json", "--store", "never"] + question, directory: place.url)
      #expect(report.status == 0 && report.output == expected.output && report.output.contains("entered"), "\(question)")
    }
    #expect(try place.run("log", "cat").output == place.run("log", "cat", "--store", "never").output)
    #expect(
      try place.run("rejected", "show", "--raw").output == place.run("rejected", "show", "--raw", "--store", "never").output)
    #expect(try self.others() == others)
    #expect(try place.run("log", "verify").status == 0)
  }

  /// Returns the log's lines of all other subjects.
  private func others() throws -> [Substring] {
    try place.run("log", "cat").output.split(separator: "\n").filter { !$0.contains(Self.subject) }
  }

  @Test func `the index is there again and is that of the log`() throws {
    _ = try forget(Self.subject)
    let indexed = try place.report()
    #expect(try place.folder.files().contains("funnel-store/index/manifest"))
    try place.folder.remove("funnel-store/index")
    #expect(try place.report() == indexed)
  }

  @Test func `an old export does not bring anybody back`() throws {
    let before = try place.run("log", "cat").output.split(separator: "\n").count
    _ = try forget(Self.subject)
    let summary = try place.ingest("0.ndjson", "1.ndjson")
    let forgotten = try #require((summary["rejected_by_reason"] as? [String: Int])?["forgotten"])
    #expect(forgotten > 20 && summary["accepted"] as? Int == 0 && summary["commit"] is NSNull)
    let sum = ["accepted", "duplicates", "rejected"].reduce(0) { $0 + (summary[$1] as? Int ?? 0) }
    #expect(summary["lines"] as? Int == sum)
    #expect(try traces(place) == [])
    #expect(try #require(summary["events_in_store"] as? Int) < before)
    // Lines of forgotten subjects do not count towards `--max-reject-rate`, and a file of nothing else has not failed.
    let lines = try place.text("0.ndjson").split(separator: "\n").filter { $0.contains("\"subject\":\"\(Self.subject)\"") }
    try place.write(lines.joined(separator: "\n") + "\n", to: "inbox/old.ndjson")
    let night = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--now", Workplace.now, "--max-reject-rate", "0",
      "--format", "json")
    #expect(night.status == 0, "\(night.errors)")
    #expect(try place.folder.files().contains("inbox/done/old.ndjson"))
    #expect(try traces(place) == [])
  }

  @Test func `a dry run says what would go and changes nothing`() throws {
    let before = try place.storeBytes()
    let rehearsal = try forget(Self.subject, "nobody", "--dry-run", "--format", "json")
    #expect(rehearsal.status == 0 && rehearsal.errors == "")
    #expect(try place.storeBytes() == before)
    let real = try forget(Self.subject, "nobody", "--format", "json")
    let (planned, done) = (try json(rehearsal), try json(real))
    for key in ["subjects", "found", "events", "dead_letters", "parts", "mentions", "tombstones", "events_in_store"] {
      #expect(planned[key] as? Int == done[key] as? Int && done[key] is Int, "\(key)")
    }
    #expect(done["found"] as? Int == 1 && done["tombstones"] as? Int == 2 && done["dead_letters"] as? Int == 4)
    #expect(planned["commit"] is NSNull && planned["dry_run"] as? Bool == true && done["commit"] as? Int == 3)
  }

  @Test func `the summary counts and names nobody`() throws {
    let run = try forget(Self.subject, "nobody-1")
    let form =
      #/forgot 2 subjects: \d+ events and 4 dead letters deleted, \d+ parts rewritten\n  not found   1: [^\n]*\ncommit 3; [^\n]*\n/#
    #expect(run.output.wholeMatch(of: form) != nil, "\(run.output)")
    #expect(!run.output.contains(Self.subject) && !run.output.contains("nobody"))
    let again = try forget(Self.subject)
    #expect(
      again.output.contains("  earlier     1 already forgotten\n") && again.output.contains("nothing to commit; "))
    let listing = try place.text("funnel-store/log/journal.ndjson")
    #expect(listing.contains(#""kind":"forget""#) && !listing.contains(Self.subject))
  }

  @Test func `lists may have a mark, carriage returns and blank lines, and come by standard input`() throws {
    try place.write("\u{FEFF}\(Self.subject)\r\n\r\ns4\r\ns4", to: "list.txt")
    let run = try forget("--from", "list.txt", "--from", "-", "s4", "--format", "json", input: "s5\n")
    #expect(try json(run)["subjects"] as? Int == 3 && json(run)["found"] as? Int == 3, "\(run.errors)")
    let left = try place.run("log", "cat").output
    #expect(["\"\(Self.subject)\"", "\"s4\"", "\"s5\""].allSatisfy { !left.contains($0) } && left.contains("\"s6\""))
  }

  @Test func `what can't be a list or a subject is refused, and nothing is forgotten`() throws {
    let before = try place.storeBytes()
    try place.folder.write(Array("s4\n".utf8) + [0xFF, 10], to: "list.txt")
    for (arguments, status, message) in [
      ([], 64, "no subject given; name subjects, or a list with --from, see 'funnel forget --help'"),
      ([""], 64, "argument 1 is not a valid subject: it is empty, see 'funnel forget --help'"),
      (["s1", "a\u{7}"], 64, "argument 2 is not a valid subject: it has control characters, see 'funnel forget --help'"),
      (
        ["--from", "list.txt"], 65,
        "list.txt line 2 is not a valid subject: it must be UTF-8, 1 to 128 bytes, without control characters; fix the list, nothing was forgotten"
      ),
      (["--from", "nothing.txt"], 66, "cannot read nothing.txt: No such file or directory, check the path"),
      (["s1", "--store", "nowhere"], 66, "there is no store at nowhere, make one with: funnel ingest --store nowhere FILE"),
    ] as [([String], Int32, String)] {
      let run = try FunnelRun(arguments: ["forget"] + arguments, directory: place.url)
      #expect(run.status == status && run.errors == "funnel: \(message)\n" && run.output == "", "\(arguments): \(run.errors)")
    }
    #expect(try place.storeBytes() == before)
  }

  @Test func `what lies beside the parts goes where it holds a subject or can't be searched`() throws {
    for (name, text) in [
      ("damaged/log-2026-11-20-part-0-at-0.bin", "\u{1F}?"), (".key.a1.tmp", ""), ("damaged/.x.a1.tmp", ""),
      ("damaged/log-2026-11-20-part-0-at-99-records.ndjson", "{\"subject\":\"\(Self.subject)\"\n"),
      ("damaged/log-2026-11-20-part-1-at-0-records.ndjson", "{\"subject\":\"\(Self.subject)0\"\n"),
      ("damaged/journal-0.ndjson", "{\"v\":1}\n"), ("notes.txt", "mine"),
    ] { try place.write(text, to: "funnel-store/\(name)") }
    let before = try place.storeBytes()
    #expect(try json(forget(Self.subject, "--dry-run", "--format", "json"))["remains"] as? Int == 4)
    #expect(try place.storeBytes() == before)
    // Opening the store removes the temporary files of killed commands, so one file that can't be searched is left to remove.
    let run = try forget("nobody")
    #expect(run.output.contains("  leftovers   1 file in damaged/ or from an interrupted command deleted: "), "\(run.output)")
    #expect(try json(forget(Self.subject, "--format", "json"))["remains"] as? Int == 1)
    let left = try place.folder.files().filter { $0.contains("damaged") || $0.contains("tmp") || $0.contains("notes") }
    #expect(
      left.map { $0.dropFirst(13) } == [
        "damaged/journal-0.ndjson", "damaged/log-2026-11-20-part-1-at-0-records.ndjson", "notes.txt",
      ])
  }

  @Test func `a damaged store is not searched by halves`() throws {
    let part = try #require(try place.folder.files().first { $0.hasPrefix("funnel-store/log/dt=") })
    var bytes = try place.folder.contents(part)
    bytes[bytes.count / 2] ^= 0x40
    try place.folder.write(bytes, to: part)
    let before = try place.storeBytes()
    let run = try forget(Self.subject)
    #expect(run.status == 74 && run.errors.contains(part), "\(run.errors)")
    #expect(try place.storeBytes() == before)
  }

  private func json(_ run: FunnelRun) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  @Test func `subjects that only look alike are two, and each that is named is forgotten`() throws {
    let place = try Workplace()
    let subjects = ["caf\u{E9}_1", "cafe\u{301}_1"]
    try place.write(subjects.map { LogLine.event("opened", $0) }.joined(), to: "a.ndjson")
    try place.write(subjects.joined(separator: "\n"), to: "list.txt")
    for arguments in [["--from", "list.txt"], subjects] {
      let copy = try place.copy()
      _ = try copy.ingest("a.ndjson")
      let run = try FunnelRun(
        arguments: ["forget", "--now", Workplace.now, "--format", "json"] + arguments, directory: copy.url)
      #expect(
        run.output.contains(#""found":2,"#) && run.output.contains(#""events_in_store":0,"#), "\(run.output)\(run.errors)")
      #expect(try copy.ingest("a.ndjson")["accepted"] as? Int == 0)
    }
  }

  @Test(
    arguments: ["inst_4f2a91c07d", "\u{65E5}\u{672C}_77", "jo\"hn_77", "\u{1F600}_77"], ["utf-16le", "utf-16be", "utf-16"])
  func `of a log in UTF-16 nothing of a forgotten subject stays, or comes back`(subject: String, encoding: String) throws {
    let place = try Workplace()
    let escaped = subject.replacing("\"", with: "\\\"")
    try place.write("{\"subject\":\"\(escaped)\"}\n{\"n\":1,\"subject\":\"\(escaped)\"}\n{\"n\":2}\n", to: "8.ndjson")
    #expect(try FunnelRun(shell: "iconv -f utf-8 -t \(encoding) 8.ndjson > 16.ndjson", directory: place.url).status == 0)
    let before = try place.ingest("16.ndjson")["rejected"] as? Int ?? 0
    #expect(before >= 3)
    let run = try place.run("forget", subject, "--now", Workplace.now, "--format", "json")
    #expect(run.output.contains(#""dead_letters":2,"#), "\(run.output)\(run.errors)")
    let again = try place.ingest("16.ndjson")
    #expect((again["rejected_by_reason"] as? [String: Int])?["forgotten"] == 2, "\(again)")
    let letters = try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n")
    #expect(letters.count == before - 2)
  }

  /// Broken lines in which only a guess finds the subject: torn, with other quotes or none, or JSON inside a JSON string.
  @Test(arguments: [
    #"{"name":"opened","subject":"jo hn,77"#, #"{'name':'opened','subject':'jo hn,77'}"#,
    #"{"name":"opened","subject":"jo hn,77  "#,
    #""{\"name\":\"opened\",\"subject\":\"jo hn,77\"}""#,
  ])
  func `a broken line that speaks of a forgotten subject is not kept when it comes again`(line: String) throws {
    let place = try Workplace()
    try place.write(line + "\n", to: "a.ndjson")
    #expect(try place.ingest("a.ndjson")["rejected"] as? Int == 1)
    let run = try place.run("forget", "jo hn,77", "--now", Workplace.now, "--format", "json")
    #expect(run.output.contains(#""dead_letters":1,"#), "\(run.output)\(run.errors)")
    let again = try place.ingest("a.ndjson")
    #expect((again["rejected_by_reason"] as? [String: Int])?["forgotten"] == 1, "\(again)")
    #expect(try place.run("rejected", "ls").output == "no rejected lines\n")
  }
}
