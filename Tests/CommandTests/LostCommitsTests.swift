import Foundation
import FunnelTestSupport
import Testing

/// The journal has lost commits, although each of its lines is sound. Commands report this and cut nothing, and a repair
/// recovers all events.
@Suite struct LostCommitsTests {
  private let place: Workplace
  private static let journal = "funnel-store/log/journal.ndjson"
  private static let head = "funnel-store/log/journal.head"
  private let report: String
  private let events: Int

  /// A store with several days, dead letters, a compaction and a forgotten subject, with older copies of its journal and head.
  private static let prepared = PreparedWorkplace { place in
    for number in 1...3 {
      let run = LogLine.completedRun("s\(number)", at: -86_400 * 5) + LogLine.completedRun("t\(number)") + "{\(number)\n"
      _ = try place.ingest("-", input: run)
      try place.folder.write(place.folder.contents(journal), to: "older-\(number).ndjson")
      try place.folder.write(place.folder.contents(head), to: "older-\(number).head")
    }
    for command in [["log", "compact"], ["forget", "t2"]] {
      let run = try FunnelRun(arguments: command + ["--now", Workplace.now], directory: place.url)
      guard run.status == 0 else { throw Workplace.Failure(run: run) }
    }
    _ = try place.ingest("-", input: LogLine.completedRun("u"))
    try place.write(place.report(), to: "report.json")
  }

  private static let another = PreparedWorkplace { place in
    for number in 1...8 { _ = try place.ingest("-", input: LogLine.completedRun("o\(number)", at: number * 7)) }
  }

  init() throws {
    place = try Self.prepared.copy()
    report = try place.text("report.json")
    events = 36
  }

  /// A way in which the journal loses commits.
  struct Accident: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var isGone = false
    var happen: @Sendable (Workplace) throws -> Void
  }

  static let accidents: [Accident] =
    (0..<6).map { count in
      Accident(testDescription: count == 0 ? "emptied" : "cut behind line \(count)") { place in
        let lines = try place.text(journal).split(separator: "\n")
        try place.write(lines.prefix(count).map { $0 + "\n" }.joined(), to: journal)
      }
    } + [
      Accident(testDescription: "replaced by an older copy") { place in
        try place.folder.write(place.folder.contents("older-2.ndjson"), to: journal)
      },
      Accident(testDescription: "replaced by that of another store") { place in
        let other = try another.copy()
        try place.folder.write(other.folder.contents(journal), to: journal)
      },
      Accident(testDescription: "removed", isGone: true) { try $0.folder.remove(journal) },
    ]

  @Test(arguments: accidents)
  func `no command that writes does anything, and each names the remedy`(_ accident: Accident) throws {
    try accident.happen(place)
    try place.write(LogLine.completedRun("new"), to: "new.ndjson")
    try place.write(LogLine.completedRun("new"), to: "inbox/new.ndjson")
    let before = try place.storeBytes()
    for command in [
      "ingest new.ndjson", "ingest new.ndjson --dry-run", "rejected retry", "forget s1", "forget s1 --dry-run",
      "retain --events 1d", "log compact", "nightly --settle 0 --inbox inbox --out out",
    ] {
      let run = try FunnelRun(
        arguments: command.split(separator: " ").map(String.init) + ["--now", Workplace.now], directory: place.url)
      #expect(run.status == 74 && run.output == "", "\(command): \(run.status) \(run.output)")
      #expect(run.errors.contains("funnel log repair"), "\(command): \(run.errors)")
      #expect(run.errors.contains("log/journal.ndjson is \(accident.isGone ? "missing" : "damaged")"), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    #expect(try place.storeBytes() == before)
  }

  @Test(arguments: accidents)
  func `a report says what it lacks, verify names it, and all that only reads refuses`(_ accident: Accident) throws {
    try accident.happen(place)
    for command in ["log ls", "log cat", "log info", "rejected ls"] {
      let run = try FunnelRun(arguments: command.split(separator: " ").map(String.init), directory: place.url)
      #expect(run.status == 74 && run.output == "", "\(command)")
    }
    let report = try place.run("report", "--format", "json", "--now", Workplace.now)
    let verification = try place.run("log", "verify")
    #expect(report.status == 74 && verification.status == 74)
    #expect(report.errors.hasPrefix("funnel: ") && report.errors.contains("funnel log repair"), "\(report.errors)")
    guard !accident.isGone else { return }
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
    let damage = try #require(object["damage"] as? [String: Any])
    #expect(damage["events_missing"] is NSNull)
    let places = try #require(damage["places"] as? [[String: Any]])
    #expect(
      places.contains {
        $0["path"] as? String == "log/journal.ndjson"
          && ($0["reason"] as? String)?.contains("log/journal.head records") == true
      }, "\(places)")
    #expect(verification.output.hasPrefix("\(Self.journal) at byte "), "\(verification.output)")
    #expect(verification.output.contains("log/journal.head records"))
  }

  @Test(arguments: accidents)
  func `a repair finds every event again, and nothing that was forgotten`(_ accident: Accident) throws {
    try accident.happen(place)
    let parts = try place.storeBytes().filter { $0.key.hasSuffix(".gz") }
    let preview = try place.run("log", "repair", "--dry-run", "--format", "json")
    let run = try place.run("log", "repair", "--format", "json", "--now", Workplace.now)
    #expect(preview.status == 0 && run.status == 0 && run.errors == "", "\(preview.errors)\(run.errors)")
    let done = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(done["journal_rebuilt"] as? Bool == true && done["events_lost"] as? Int == 0, "\(run.output)")
    #expect(done["events"] as? Int == events, "\(run.output)")
    #expect(preview.output.contains("\"events\":\(events),\"events_lost\":0"), "\(preview.output)")
    #expect(try place.storeBytes().filter { $0.key.hasSuffix(".gz") } == parts)
    let verification = try place.run("log", "verify")
    #expect(verification.status == 0, "\(verification.output)")
    #expect(try place.report() == report)
    #expect(try place.run("log", "repair").output == "nothing to do: the store is intact\n")
    // Stored events are duplicates, and those of the forgotten subject are rejected.
    let again = try place.ingest("-", input: LogLine.completedRun("u") + LogLine.completedRun("t2"))
    #expect(again["accepted"] as? Int == 0 && again["duplicates"] as? Int == 6, "\(again)")
    #expect(try place.report() == report)
  }

  @Test(arguments: ["missing", "torn", "behind", "empty", "zeros"])
  func `a head that says nothing, or is older, is no damage, and the next command that writes renews it`(
    _ state: String
  ) throws {
    let whole = try place.folder.contents(Self.head)
    switch state {
    case "missing": try place.folder.remove(Self.head)
    case "torn": try place.folder.write(Array(whole[..<100] + place.folder.contents("older-3.head")[100...]), to: Self.head)
    case "behind": try place.folder.write(place.folder.contents("older-3.head"), to: Self.head)
    case "empty": try place.folder.write([], to: Self.head)
    default: try place.folder.write([UInt8](repeating: 0, count: whole.count), to: Self.head)
    }
    #expect(try place.report() == report)
    #expect(try place.run("log", "verify").status == 0)
    #expect(try place.run("log", "repair", "--dry-run").output == "nothing to do: the store is intact\n")
    let run = try place.run("forget", "nobody", "--now", Workplace.now)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let lines = try place.text(Self.journal).split(separator: "\n")
    #expect(try place.text(Self.head).contains("\"commit\":\(lines.count),"))
    // The renewed head reveals that the journal is cut.
    try place.write(lines.dropLast().map { $0 + "\n" }.joined(), to: Self.journal)
    #expect(try place.run("log", "verify").status == 74)
  }

  @Test func `a repair of what an older store's head says keeps the journal's lines`() throws {
    let other = try Workplace()
    _ = try other.ingest("-", input: LogLine.completedRun("o"))
    try place.folder.write(other.folder.contents(Self.head), to: Self.head)
    let lines = try place.text(Self.journal)
    let run = try place.run("log", "repair", "--now", Workplace.now)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try place.text(Self.journal).hasPrefix(lines))
    #expect(try place.report() == report)
    #expect(try place.run("log", "verify").status == 0)
  }

  /// A backup of the journal and its head was restored, and the parts are newer.
  @Test func `a journal and a head of the same moment are believed`() throws {
    for (name, suffix) in [(Self.journal, "ndjson"), (Self.head, "head")] {
      try place.folder.write(place.folder.contents("older-3.\(suffix)"), to: name)
    }
    // There is damage because parts that the journal lists were rewritten since, not because of the head.
    let verification = try place.run("log", "verify")
    #expect(verification.status == 74 && !verification.output.contains("journal.head"), "\(verification.output)")
  }
}
