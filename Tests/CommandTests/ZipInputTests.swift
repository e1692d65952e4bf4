import Foundation
import FunnelTestSupport
import Testing

/// Zips as input, which Python makes: sound ones, and every way in which one can be broken.
@Suite struct ZipInputTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "make_zips.py").path
    let made = try FunnelRun(shell: "python3 '\(script)' .", directory: place.url)
    guard made.status == 0 else { throw Workplace.Failure(run: made) }
  }

  /// What comes out of a zip.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The number of events.
    var accepted: Int
    /// The dead letters in order: the entry and the beginning of the message.
    var letters: [String] = []
    /// The same from a pipe, where that differs.
    var piped: (accepted: Int, letters: [String])?
    var testDescription: String { name }
  }

  private static let none = "the zip has no directory: its end is missing"

  static let cases = [
    Case(name: "many", accepted: 31), Case(name: "stored", accepted: 10), Case(name: "streamed", accepted: 20),
    Case(name: "zip64", accepted: 10), Case(name: "nested", accepted: 4),
    Case(name: "third", accepted: 1, letters: ["/two.zip/inner.zip: a zip in a zip in a zip is not read"]),
    Case(name: "brokeninner", accepted: 4, letters: ["/inner.zip: \(none)"]),
    Case(
      name: "bzip2", accepted: 0,
      letters: ["a", "b"].map { "/\($0).json: the entry has an unsupported compression method: bzip" }),
    Case(name: "method", accepted: 20, letters: ["/a.json: the entry has an unsupported compression method: unknown"]),
    Case(name: "encrypted", accepted: 20, letters: ["/a.json: the entry is encrypted, unpack it with its password first"]),
    Case(name: "checksum", accepted: 120, letters: ["/a.json: the entry does not match the zip's directory (ZIP bad CRC"]),
    Case(
      name: "longer", accepted: 120,
      letters: ["/a.json: the entry does not match the zip's directory (ZIP uncompressed data is"]),
    Case(
      name: "shorter", accepted: 120,
      letters: ["/a.json: the entry does not match the zip's directory (ZIP uncompressed data is"]),
    Case(
      name: "contradicting", accepted: 120, letters: ["/a.json: the entry's headers contradict each other"], piped: (120, [])),
    Case(
      name: "corrupt", accepted: 20, letters: ["/a.json: the entry can't be unpacked to its end (ZIP decompression failed"],
      piped: (0, ["/a.json: the entry can't be unpacked to its end, and no later entry can be found"])),
    Case(
      name: "cut", accepted: 100,
      letters: ["/b.json: the entry can't be unpacked to its end, and no later entry can be found"]),
    Case(name: "nodirectory", accepted: 120, letters: [": \(none)"]),
    Case(
      name: "longname", accepted: 1,
      letters: ["/\(String(repeating: "n", count: 100)): the entry's name is longer than 4096 bytes"]),
  ]

  @Test(arguments: cases)
  func `what can be unpacked is ingested, and damage is a dead letter of its entry`(_ zip: Case) throws {
    let file = "\(zip.name).zip"
    let summary = try place.ingest(file)
    #expect(summary["accepted"] as? Int == zip.accepted && summary["duplicates"] as? Int == 0)
    try expectLetters(zip.letters, of: file, in: "funnel-store")
    let piped = try FunnelRun(
      shell: "cat \(file) | \"$FUNNEL\" ingest - --store piped --now \(Workplace.now) --format json", directory: place.url)
    let expected = zip.piped ?? (zip.accepted, zip.letters)
    #expect(piped.output.contains("\"accepted\":\(expected.accepted),"), "\(piped.output)\(piped.errors)")
    try expectLetters(expected.letters, of: "-", in: "piped")
  }

  private func expectLetters(_ expected: [String], of file: String, in store: String) throws {
    let listed = try place.run("rejected", "ls", "--store", store, "--format", "json").output.split(separator: "\n")
    let letters = try listed.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    #expect(letters.count == expected.count, "\(listed)")
    for (letter, beginning) in zip(letters, expected) {
      #expect(letter["reason"] as? String == "damaged_zip")
      #expect("\(letter["file"] ?? ""): \(letter["message"] ?? "")".hasPrefix(file + beginning), "\(letter)")
    }
  }

  @Test(arguments: ["many", "nested", "checksum", "corrupt", "cut", "overlapping"], [1, 2, 4])
  func `a report from the zip counts what an ingest of it takes, with any number of threads`(name: String, threads: Int) throws
  {
    _ = try place.ingest("\(name).zip", "--threads", "\(threads)")
    let arguments = ["report", "funnel", "--format", "json", "--now", Workplace.now, "--threads", "\(threads)"]
    let stored = try FunnelRun(arguments: arguments, directory: place.url)
    let direct = try FunnelRun(arguments: arguments + ["\(name).zip"], directory: place.url)
    #expect(direct.status == 0 || name == "overlapping")
    #expect(direct.output == stored.output)
    let letters = try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n").count
    #expect(
      direct.errors.contains(" were rejected") || direct.errors.contains(" was rejected") || letters == 0, "\(direct.errors)")
  }

  @Test func `entries that lie within each other are not read`() throws {
    let summary = try place.ingest("overlapping.zip")
    #expect(summary["accepted"] as? Int == 0 && summary["rejected"] as? Int == 20)
    let listed = try place.run("rejected", "ls").output
    #expect(listed.contains("the entry overlaps an earlier one"), "\(listed)")
  }

  @Test func `a zip cut at any byte gives what lies in front of the cut, and is told as damaged`() throws {
    let whole = try place.folder.contents("streamed.zip")
    var most = 0
    for count in stride(from: 4, to: whole.count, by: Sweeps.isFull ? 1 : 23) {
      try place.folder.write(Array(whole.prefix(count)), to: "part.zip")
      let run = try place.run("ingest", "part.zip", "--dry-run", "--now", Workplace.now, "--format", "json")
      #expect([0, 65].contains(run.status), "\(count): \(run.errors)")
      #expect((run.output + run.errors).contains("damaged_zip"), "\(count): \(run.output)\(run.errors)")
      let accepted = run.output.firstMatch(of: /"accepted":(\d+)/).flatMap { Int($0.1) } ?? 0
      #expect(accepted >= most, "\(count)")
      most = max(most, accepted)
    }
    #expect(most == 20)
  }

  @Test(arguments: ["empty", "nothing"])
  func `a zip with nothing to read is no input, unless there is other input`(name: String) throws {
    let rest = "the zip has no *.ndjson, *.json*, *.csv, *.tsv, *.log, *.txt, *.gz or *.zip with records\n"
    for command in ["ingest", "report"] {
      let alone = try place.run(command, "\(name).zip", "--now", Workplace.now)
      #expect(alone.status == 66 && alone.errors.hasSuffix("nothing to read, \(name).zip, \(rest)"), "\(alone.errors)")
    }
    let piped = try FunnelRun(shell: "\"$FUNNEL\" ingest - < \(name).zip", directory: place.url)
    #expect(piped.status == 66 && piped.errors == "funnel: nothing to read, standard input, \(rest)")
    let summary = try place.ingest("\(name).zip", "stored.zip")
    #expect(summary["accepted"] as? Int == 10 && summary["inputs"] as? Int == 2)
  }

  @Test func `a folder and a night read zips, and a night keeps their name`() throws {
    let fixture = try NightlyFixture()
    for name in ["stored.zip", "checksum.zip", "nothing.zip"] {
      try fixture.upload(try place.folder.contents(name), as: name)
    }
    let run = try fixture.night()
    #expect(
      run.errors.contains("damaged zip, inbox/checksum.zip, the 120 events before the damage were ingested"), "\(run.errors)")
    #expect(try fixture.inbox().allSatisfy { $0.hasPrefix("done/") && $0.hasSuffix(".zip") })
    let found = try place.ingest(".", "--store", "all")
    #expect((found["accepted"] as? Int ?? 0) > 100)
  }

  @Test func `names in a zip are shown without driving the terminal, and lead nowhere`() throws {
    _ = try place.ingest("hostile.zip", "many.zip")
    let report = try place.run("report", "hostile.zip", "--now", Workplace.now)
    for shown in [try place.run("rejected", "ls").output, report.errors] {
      #expect(shown.contains("hostile.zip/a\\u{1b}[31m\\u{a}b.json") && !shown.contains("\u{1B}"), "\(shown)")
    }
    #expect(try place.folder.files().filter { $0.hasSuffix("up.json") || $0.hasSuffix("absolute.json") } == [])
  }
}
