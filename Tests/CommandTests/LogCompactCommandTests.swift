import Foundation
import FunnelTestSupport
import Testing

/// `funnel log compact` reduces the number of members, and changes nothing else.
@Suite struct LogCompactCommandTests {
  private let place: Workplace
  private static let questions = [[], ["--by", "ctx.variant"], ["--count-by", "attempt"]]

  /// A store of ten small commits.
  private static let prepared = PreparedWorkplace { place in
    var random = SeededGenerator(seed: 9)
    for number in 0..<10 {
      let lines = RandomEvents.lines(60, .init(hasConflicts: false), using: &random)
      try place.write(lines.joined(separator: "\n") + "\n", to: "\(number).ndjson")
      _ = try place.ingest("\(number).ndjson")
    }
  }

  init() throws { place = try Self.prepared.copy() }

  private func reports(_ place: Workplace) throws -> [String] {
    try Self.questions.map { question in
      let run = try FunnelRun(
        arguments: ["report", "--format", "json", "--now", Workplace.now] + question, directory: place.url)
      #expect(run.status == 0, "\(run.errors)")
      return run.output
    }
  }

  private func ruinLog(_ place: Workplace) throws {
    for name in try place.folder.files() where name.hasPrefix("funnel-store/log/") && name.hasSuffix(".gz") {
      var bytes = try place.folder.contents(name)
      for index in bytes.indices.dropFirst(bytes.count / 2) { bytes[index] = 0x55 }
      try place.folder.write(bytes, to: name)
    }
  }

  @Test func `records, order and reports stay, and the index stays valid`() throws {
    let (cat, expected) = (try place.run("log", "cat").output, try reports(place))
    let before = try place.storeBytes()
    let preview = try place.run("log", "compact", "--older-than", "1d", "--now", Workplace.now, "--dry-run")
    #expect(preview.status == 0 && preview.output.contains("would be compacted"), "\(preview.output)")
    #expect(try place.storeBytes() == before)
    let run = try place.run("log", "compact", "--older-than", "1d", "--now", Workplace.now)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output.hasSuffix("commit 11\n"), "\(run.output)")
    #expect(try place.run("log", "cat").output == cat)
    #expect(try place.run("log", "verify").status == 0)
    #expect(try reports(place) == expected)
    // If the log can't be read, reports come from the index, which the compaction kept valid.
    let ruined = try place.copy()
    try ruinLog(ruined)
    #expect(try reports(ruined) == expected)
    // Without the index, reports come from the log.
    let bare = try place.copy()
    try bare.folder.remove("funnel-store/index")
    #expect(try reports(bare) == expected)

    let again = try place.run("log", "compact", "--older-than", "1d", "--now", Workplace.now)
    #expect(again.output.hasPrefix("nothing to do: ") && again.output.hasSuffix(" already compact\n"))
    #expect(try place.run("log", "info", "--format", "json").output.contains("\"commits\":11,"))
    // Further ingests extend the index that the compaction kept.
    #expect(try place.ingest("3.ndjson")["accepted"] as? Int == 0)
    try place.write(LogLine.completedRun("late", at: -3 * 86_400), to: "late.ndjson")
    #expect(try place.ingest("late.ndjson")["accepted"] as? Int == 6)
    let later = try reports(place)
    #expect(later != expected)
    try ruinLog(place)
    #expect(try reports(place) == later)
  }

  @Test func `an index that is behind is brought up to date first`() throws {
    let expected = try reports(place)
    try place.folder.remove("funnel-store/index")
    let run = try place.run("log", "compact", "--older-than", "0s", "--now", "2026-12-24", "--format", "json")
    #expect(run.status == 0)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(json["commits"] as? [Int] == [11])
    let days = try #require(json["days"] as? [[String: Any]])
    #expect(days.allSatisfy { $0["members_after"] as? Int == 1 })
    try ruinLog(place)
    #expect(try reports(place) == expected)
  }

  @Test func `a nightly run compacts, and a log that can't be compacted does not spoil the night`() throws {
    try place.write("", to: "inbox/later.tmp")
    let damaged = try place.copy()
    let run = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "funnel-store", "--now", "2026-12-24",
      "--format", "json")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(try #require(json["days_compacted"] as? Int) > 0)
    #expect(try place.run("log", "compact", "--now", "2026-12-24").output.hasPrefix("nothing to do"))

    try ruinLog(damaged)
    let bad = try damaged.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "funnel-store", "--now", "2026-12-24")
    #expect(bad.status == 0, "\(bad.errors)")
    #expect(bad.errors.hasPrefix("funnel: the log was not compacted, everything else succeeded: "), "\(bad.errors)")
    #expect(bad.errors.count { $0 == "\n" } == 1)
  }

  @Test func `what an unfinished commit left is cut and said, and a span that is none is refused`() throws {
    let journal = "funnel-store/log/journal.ndjson"
    for command in [["compact"], ["repair"]] {
      let copy = try place.copy()
      try copy.folder.write(copy.folder.contents(journal) + Array("{\"v\":1,".utf8), to: journal)
      let run = try FunnelRun(arguments: ["log"] + command + ["--now", Workplace.now], directory: copy.url)
      #expect(run.status == 0)
      #expect(
        run.errors.hasPrefix("funnel: recovered funnel-store: removed what an interrupted command left"),
        "\(command): \(run.errors)")
    }
    let bad = try place.run("log", "compact", "--older-than", "soon")
    #expect(bad.status == 64)
    #expect(bad.errors == "funnel: not a time span, --older-than soon, write it as 48h, 2d or 1w, at most 3650d\n")
  }

  @Test func `without a store compact and repair say so, 66`() throws {
    let empty = try Workplace()
    for command in ["compact", "repair"] {
      let run = try empty.run("log", command)
      #expect(run.status == 66 && run.output == "")
      #expect(run.errors.hasPrefix("funnel: there is no store"), "\(run.errors)")
    }
    #expect(try empty.folder.files() == [])
  }
}
