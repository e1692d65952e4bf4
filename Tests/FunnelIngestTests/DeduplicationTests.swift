import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// Of the events with the same app, subject, name and id, one stays.
@Suite struct DeduplicationTests {
  private func line(_ changes: [String: String]) -> String { Line.with(["id": #""1""#].merging(changes) { _, new in new }) }

  @Test func `events are duplicates if app, subject, name and id are the same, whatever else differs`() throws {
    let store = try Store()
    let same = [[:], ["ts": "1795168800001"], ["props": #"{"a":1}"#], ["flow": #""f""#], ["attempt": #""x""#], ["seq": "4"]]
    let other = [["app": #""clarity""#], ["subject": #""s2""#], ["name": #""closed""#], ["id": #""2""#]]
    let summary = try store.ingest([(same + other).map(line).joined(separator: "\n")])
    #expect(summary.lines == 10)
    #expect(summary.accepted == 5)
    #expect(summary.duplicates == 5)
    #expect(summary.eventsInStore == 5)
  }

  @Test func `where one text ends and the next begins is part of what is compared`() throws {
    let store = try Store()
    let summary = try store.ingest([
      line(["subject": #""ab""#, "name": #""c""#]) + "\n" + line(["subject": #""a""#, "name": #""bc""#]) + "\n"
        + line(["subject": #""a""#, "name": #""b""#, "id": #""c1""#])
    ])
    #expect(summary.accepted == 3)
  }

  @Test(arguments: 0..<5)
  func `of the duplicates of one ingest the one with the smallest time, then bytes, stays in any order of lines and files`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let smallest = line(["ts": "1795168800000", "props": #"{"a":1}"#])
    let lines =
      [smallest, line(["ts": "1795168800000", "props": #"{"a":2}"#]), line(["ts": "1795168800000", "seq": "1"])]
      + (1...5).map { line(["ts": "\(1_795_168_800_000 + $0 * 86_400)", "props": #"{"a":0}"#]) }
    let shuffled = lines.shuffled(using: &random)
    let cut = Int.random(in: 0...lines.count, using: &random)
    let store = try Store()
    let summary = try store.ingest(
      [shuffled[..<cut].joined(separator: "\n"), shuffled[cut...].joined(separator: "\n")],
      threads: Int.random(in: 1...5, using: &random))
    #expect(summary.accepted == 1)
    #expect(summary.duplicates == 7)
    #expect(try store.records() == Decoded(smallest).records, "seed \(seed)")
  }

  @Test func `the one in the store stays, also against a smaller one`() throws {
    let store = try Store()
    try store.ingest([line(["ts": "1795168800000"])])
    let records = try store.records()
    let summary = try store.ingest([line(["ts": "1795160000000"]) + "\n" + line(["ts": "1795170000000"])])
    #expect(summary.accepted == 0)
    #expect(summary.duplicates == 2)
    #expect(summary.commit == nil)
    #expect(try store.records() == records)
  }

  @Test func `an event without an id that was sent twice is one event`() throws {
    let store = try Store()
    let times = ["2026-11-20T10:00:05Z", "2026-11-20T11:30:00Z"]
    let lines = times.map { Line.with(["sent_at": "\"\($0)\"", "received_at": "\"\($0)\""]) }
    #expect(try store.ingest([lines.joined(separator: "\n")]).duplicates == 1)
    #expect(try store.ingest([Line.with([:])]).duplicates == 1)
  }

  @Test(arguments: 0..<4)
  func `the log of one ingest is the same bytes for any order of lines, number of files and of threads`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = RandomEvents.lines(120, .init(hasBadLines: false), using: &random)
    var records: Set<[String]> = []
    for threads in [1, 2, 5] {
      let shuffled = lines.shuffled(using: &random)
      let cut = Int.random(in: 0...lines.count, using: &random)
      let store = try Store()
      let summary = try store.ingest(
        [shuffled[..<cut].joined(separator: "\n"), shuffled[cut...].joined(separator: "\r\n")], threads: threads)
      #expect(summary.lines == lines.count)
      #expect(summary.accepted + summary.duplicates == lines.count)
      records.insert(try store.records())
    }
    #expect(records.count == 1, "seed \(seed)")
  }

  @Test(arguments: 0..<3)
  func `commits in between change nothing but their number`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = RandomEvents.lines(120, .init(hasConflicts: false), using: &random)
    let (whole, parts) = (try Store(), try Store())
    let atOnce = try whole.ingest([lines.joined(separator: "\n")])
    for part in stride(from: 0, to: lines.count, by: 25) {
      try parts.ingest([lines[part..<min(part + 25, lines.count)].joined(separator: "\n")], names: ["\(part)"])
    }
    #expect(try whole.records().sorted() == parts.records().sorted(), "seed \(seed)")
    #expect(try whole.reader().deadLetterCount == parts.reader().deadLetterCount)
    let again = try whole.ingest([lines.joined(separator: "\n")])
    #expect(again.duplicates == atOnce.accepted + atOnce.duplicates)
    #expect(again.accepted == 0)
    #expect(again.eventsInStore == atOnce.eventsInStore)
    #expect(again.commit == nil)
  }

  @Test func `an ingest too large for one commit is several, which hold what one would`() throws {
    var random = SeededGenerator(seed: 3)
    let lines = RandomEvents.lines(120, .init(hasConflicts: false), using: &random)
    let texts = stride(from: 0, to: lines.count, by: 30).map { lines[$0..<$0 + 30].joined(separator: "\n") }
    let (one, several) = (try Store(), try Store())
    let expected = try one.ingest(texts)
    let summary = try several.ingest(texts, commitRawBytesTarget: 1)
    #expect(try several.reader().commits.count == 4)
    #expect(summary.commit == 4)
    #expect(summary.accepted == expected.accepted)
    #expect(summary.duplicates == expected.duplicates)
    #expect(summary.rejectedByReason == expected.rejectedByReason)
    #expect(summary.timestamps == expected.timestamps)
    #expect(try several.records().sorted() == one.records().sorted())
    #expect(try several.letters().map(\.raw) == one.letters().map(\.raw))
  }
}
