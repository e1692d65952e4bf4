import Foundation
import FunnelTestSupport
import Testing

/// A report over a damaged log counts the events that can be read, and says that others are missing.
@Suite struct DamagedStoreTests {
  private let place: Workplace
  private static let part = "log/dt=2026-11-20/part-00000.ndjson.gz"
  private static let yesterday = "log/dt=2026-11-19/part-00000.ndjson.gz"

  private static let runs = [
    LogLine.completedRun("s1"), LogLine.completedRun("s2") + LogLine.completedRun("s3", at: 60),
    LogLine.completedRun("s4"), LogLine.completedRun("s5", at: -86_400),
  ]

  /// A store of four commits: three append to one part, one to another.
  private static let prepared = PreparedWorkplace { place in
    for run in runs { _ = try place.ingest("-", input: run) }
  }

  init() throws { place = try Self.prepared.copy() }

  /// A way to damage a store, with the commits that can still be read, the number of events lost (nil if unknown) and the
  /// damaged file.
  struct Accident: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var left: [Int]
    var lost: Int?
    var path: String
    /// Whether commands notice the damage without reading the parts' contents.
    var isSeenAtOnce: Bool
    var damage: @Sendable (Workplace) throws -> Void
  }

  /// Returns the offsets at which the members of a part begin, and the part's length.
  private static func borders(_ bytes: [UInt8]) -> [Int] {
    var borders = [0]
    while let last = borders.last, last < bytes.count {
      borders.append(last + bytes[(last + 20)..<(last + 24)].reversed().reduce(0) { $0 << 8 | Int($1) })
    }
    return borders
  }

  private static func edit(_ place: Workplace, _ path: String = part, _ body: (inout [UInt8], [Int]) -> Void) throws {
    var bytes = try place.folder.contents("funnel-store/\(path)")
    body(&bytes, borders(bytes))
    try place.folder.write(bytes, to: "funnel-store/\(path)")
  }

  static let accidents: [Accident] = [
    Accident(testDescription: "part missing", left: [0, 1, 2], lost: 6, path: yesterday, isSeenAtOnce: true) {
      try $0.folder.remove("funnel-store/\(yesterday)")
    },
    Accident(testDescription: "part cut in its last member", left: [0, 1, 3], lost: 6, path: part, isSeenAtOnce: true) {
      try edit($0) { bytes, _ in bytes.removeLast() }
    },
    Accident(testDescription: "part cut at the border of two members", left: [0, 3], lost: 18, path: part, isSeenAtOnce: true) {
      try edit($0) { bytes, borders in bytes.removeLast(bytes.count - borders[1]) }
    },
    Accident(testDescription: "part empty", left: [3], lost: 24, path: part, isSeenAtOnce: true) {
      try edit($0) { bytes, _ in bytes = [] }
    },
    Accident(testDescription: "checksum wrong", left: [0, 2, 3], lost: 12, path: part, isSeenAtOnce: false) {
      try edit($0) { bytes, borders in bytes[borders[2] - 6] ^= 1 }
    },
    Accident(testDescription: "header damaged", left: [0, 2, 3], lost: 12, path: part, isSeenAtOnce: false) {
      try edit($0) { bytes, borders in bytes[borders[1] + 3] ^= 8 }
    },
    Accident(testDescription: "length in a header damaged", left: [1, 2, 3], lost: 6, path: part, isSeenAtOnce: false) {
      try edit($0) { bytes, _ in bytes[21] ^= 64 }
    },
    Accident(testDescription: "zeros", left: [0, 3], lost: 18, path: part, isSeenAtOnce: false) {
      try edit($0) { bytes, borders in for index in borders[1]..<bytes.count { bytes[index] = 0 } }
    },
    Accident(testDescription: "times in a header damaged", left: [0, 1, 2, 3], lost: 0, path: part, isSeenAtOnce: false) {
      try edit($0) { bytes, borders in for index in 32..<48 { bytes[borders[1] + index] = 0x70 } }
    },
    Accident(
      testDescription: "journal line damaged", left: [0, 1], lost: nil, path: "log/journal.ndjson", isSeenAtOnce: true
    ) { place in
      var lines = try place.text("funnel-store/log/journal.ndjson").split(separator: "\n").map(String.init)
      lines[2] = lines[2].replacing("\"events\":6", with: "\"events\":7")
      try place.write(lines.joined(separator: "\n") + "\n", to: "funnel-store/log/journal.ndjson")
    },
    Accident(
      testDescription: "journal cut at the end of a line", left: [0, 1], lost: nil, path: "log/journal.ndjson",
      isSeenAtOnce: true
    ) { place in
      let lines = try place.text("funnel-store/log/journal.ndjson").split(separator: "\n")
      try place.write(lines.prefix(2).map { $0 + "\n" }.joined(), to: "funnel-store/log/journal.ndjson")
    },
    Accident(
      testDescription: "journal empty", left: [], lost: nil, path: "log/journal.ndjson", isSeenAtOnce: true
    ) { try $0.write("", to: "funnel-store/log/journal.ndjson") },
  ]

  private func json(_ run: FunnelRun) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private func report(_ place: Workplace, _ arguments: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["report", "--now", Workplace.now] + arguments, directory: place.url)
  }

  @Test(arguments: accidents)
  func `without an index the rest is counted, and what is lost is said`(_ accident: Accident) throws {
    try accident.damage(place)
    try place.folder.remove("funnel-store/index")
    try place.write(accident.left.map { Self.runs[$0] }.joined(), to: "left.ndjson")
    let run = try report(place, "--format", "json")
    #expect(run.status == 74, "\(run.errors)")
    #expect(run.errors.hasPrefix("funnel: the log is damaged, funnel-store, "), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1)
    var found = try json(run)
    let damage = try #require(found.removeValue(forKey: "damage") as? [String: Any])
    #expect(damage["events_missing"] as? Int == accident.lost, "\(damage)")
    let places = try #require(damage["places"] as? [[String: Any]])
    #expect(places.allSatisfy { $0["path"] as? String == accident.path }, "\(places)")
    let expected = try json(report(place, "left.ndjson", "--format", "json"))
    #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: expected), "\(run.output)")
  }

  @Test(arguments: accidents)
  func `with an index nothing is lost that it had, and a missing or short part is said all the same`(_ accident: Accident)
    throws
  {
    let expected = try report(place, "--format", "json")
    try accident.damage(place)
    let run = try report(place, "--format", "json")
    guard accident.isSeenAtOnce else {
      #expect(run.status == 0 && run.errors == "" && run.output == expected.output)
      return
    }
    #expect(run.status == 74)
    var found = try json(run)
    let damage = try #require(found.removeValue(forKey: "damage") as? [String: Any])
    guard accident.lost != nil else {
      #expect(damage["events_missing"] is NSNull)
      return
    }
    #expect(damage["events_missing"] as? Int == 0)
    #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: try json(expected)))
    #expect(run.errors.contains("but no event is missing from the report"))
  }

  @Test(arguments: accidents)
  func `verify finds it, and is silent about the sound store`(_ accident: Accident) throws {
    #expect(try place.run("log", "verify").status == 0)
    try accident.damage(place)
    let run = try place.run("log", "verify", "--format", "json")
    #expect(run.status == 74)
    let found = try json(run)
    #expect(found["ok"] as? Bool == false)
    let findings = try #require(found["findings"] as? [[String: Any]])
    // The zeros overwrite the extents of two commits.
    #expect(findings.count == (accident.testDescription == "zeros" ? 2 : 1), "\(run.output)")
    #expect(findings.allSatisfy { $0["path"] as? String == "funnel-store/\(accident.path)" })
  }

  @Test func `every format says it, but CSV, which says it on standard error alone`() throws {
    let accident = try #require(Self.accidents.first { $0.testDescription == "checksum wrong" })
    try accident.damage(place)
    try place.folder.remove("funnel-store/index")
    let headline = "The log is damaged: 12 events can't be read and are missing from this report."
    let table = try report(place)
    #expect(table.status == 74)
    #expect(table.output.hasPrefix("! \(headline)\n"), "\(table.output)")
    let words = table.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("\(Self.part) at byte"))
    #expect(words.contains("a member's checksum does not match, 12 events"))
    let markdown = try report(place, "--format", "markdown")
    #expect(markdown.status == 74)
    #expect(markdown.output.hasPrefix("> **\(headline)**\n"), "\(markdown.output)")
    let csv = try report(place, "funnel", "--format", "csv")
    #expect(csv.status == 74)
    #expect(csv.output.hasPrefix("app,flow,version"))
    for run in [table, markdown, csv] {
      #expect(
        run.errors
          == "funnel: the log is damaged, funnel-store, 12 unreadable events are missing from the report, see 'funnel log verify', then 'funnel log repair'\n"
      )
    }
    let file = try report(place, "--format", "json", "--output", "report.json")
    #expect(file.status == 74)
    #expect(try place.text("report.json").contains("\"events_missing\":12"))
  }

  @Test func `a nightly run over a damaged log writes what it can, says so in each file, and ends with 74`() throws {
    let accident = try #require(Self.accidents.first { $0.testDescription == "checksum wrong" })
    try accident.damage(place)
    try place.folder.remove("funnel-store/index")
    // The inbox has no events, because an ingest can't recognize duplicates if the log is damaged and the index is missing.
    try place.write("", to: "inbox/new.tmp")
    let run = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "funnel-store", "--now", Workplace.now)
    #expect(run.status == 74)
    #expect(run.errors.contains("12 unreadable events are missing from the report"), "\(run.errors)")
    #expect(try place.text("out/latest/30d.json").contains("\"damage\":{\"events_missing\":12"))
    #expect(try place.text("out/latest/30d.md").hasPrefix("> **The log is damaged"))
  }

  @Test(arguments: accidents)
  func `a repair keeps what is sound, and everything works afterwards`(_ accident: Accident) throws {
    try accident.damage(place)
    let before = try place.storeBytes()
    let preview = try place.run("log", "repair", "--dry-run", "--format", "json")
    #expect(preview.status == 0, "\(preview.errors)")
    #expect(try place.storeBytes() == before)
    let run = try place.run("log", "repair", "--format", "json", "--now", Workplace.now)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let (said, done) = (try json(preview), try json(run))
    for key in ["moved", "parts", "events", "events_lost", "journal_rebuilt", "findings"] {
      #expect(said[key] as? NSObject == done[key] as? NSObject, "\(key)")
    }
    // A repair recovers from the parts what is missing from the journal.
    let left = accident.lost == nil ? [0, 1, 2, 3] : accident.left
    #expect(done["events_lost"] as? Int == accident.lost ?? 0)
    #expect(done["events"] as? Int == left.reduce(0) { $0 + Self.runs[$1].count { $0 == "\n" } })
    try place.write(left.map { Self.runs[$0] }.joined(), to: "left.ndjson")
    #expect(try place.run("log", "verify").status == 0)
    let expected = try report(place, "left.ndjson", "--format", "json")
    let found = try report(place, "--format", "json")
    #expect(found.status == 0 && found.errors == "" && found.output == expected.output)
    #expect(try place.ingest("left.ndjson")["accepted"] as? Int == 0)
    #expect(try place.run("log", "repair").output == "nothing to do: the store is intact\n")
  }

  @Test func `a repair says that people who were forgotten may come back`() throws {
    let place = try Workplace()
    try place.write(LogLine.completedRun("s1") + LogLine.completedRun("s2"), to: "a.ndjson")
    _ = try place.ingest("a.ndjson")
    #expect(try place.run("forget", "s1", "--now", Workplace.now).status == 0)
    let lost = try place.copy()
    try lost.folder.remove("funnel-store/log/journal.ndjson")
    let rebuilt = try lost.run("log", "repair", "--now", Workplace.now)
    #expect(
      rebuilt.output.contains(
        "\njournal  if the last command that wrote was 'funnel forget' or 'funnel retain', run it again:"), "\(rebuilt.output)"
    )
    #expect(!rebuilt.output.contains("tombstones"))
    let part = try #require(try place.folder.files().first { $0.hasPrefix("funnel-store/forgotten/") })
    var bytes = try place.folder.contents(part)
    bytes[bytes.count - 6] ^= 1
    try place.folder.write(bytes, to: part)
    let repaired = try place.run("log", "repair", "--now", Workplace.now)
    #expect(repaired.status == 0 && repaired.output.contains("\ntombstones are damaged:"), "\(repaired.output)")
    #expect(!repaired.output.contains("journal  "))
  }

  @Test func `a repair says what it did, line by line`() throws {
    let accident = try #require(Self.accidents.first { $0.testDescription == "checksum wrong" })
    try accident.damage(place)
    let run = try place.run("log", "repair", "--now", Workplace.now)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 3, "\(run.output)")
    #expect(lines[0].hasPrefix("damaged  funnel-store/\(Self.part) at byte "))
    #expect(lines[1].hasPrefix("moved    ") && lines[1].hasSuffix(": a member's checksum does not match"), "\(lines[1])")
    #expect(
      lines[1].contains(" bytes of \(Self.part) at byte ") && lines[1].contains(" to damaged/log-2026-11-20-part-00000-at-"))
    #expect(lines[2] == "commit 5: 1 part rewritten, 18 events are left, 12 are lost")
    let name = try #require(try place.folder.files().first { $0.hasPrefix("funnel-store/damaged/") })
    let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path(name))
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
  }
}
