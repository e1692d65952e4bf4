import FunnelDecoding
import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelStore
import FunnelTestSupport
import Testing

/// Deduplication gives the same result by the index and by a search of the whole log, which an ingest uses without an index.
@Suite struct KnownEventsTests {
  enum Method: CaseIterable {
    case byIndex, byScan
  }

  @Test(arguments: Method.allCases)
  func `events are duplicates if app, subject, name and id are the same, whatever else differs`(method: Method) throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    let same = [Event(), Event(second: 1), Event(mark: 5), Event(more: #""seq":4"#), Event(more: #""attempt":"x""#)]
    let others = [Event(app: "clarity"), Event(subject: "s2"), Event(name: "closed"), Event(id: "2")]
    let summary = try store.ingest(same + others, method)
    #expect(summary.accepted == 5 && summary.duplicates == 4)
    // The boundaries between the texts are part of the identity.
    let shifted = [
      Event(subject: "ab", name: "c", id: "1"), Event(subject: "a", name: "bc", id: "1"),
      Event(subject: "a", name: "b", id: "c1"),
    ]
    #expect(try store.ingest(shifted, method).accepted == 3)
  }

  @Test(arguments: Method.allCases)
  func `an event that is stored stays, also against one of an earlier time`(method: Method) throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    try store.ingest([Event(second: 5, mark: 5)], method)
    let summary = try store.ingest([Event(second: 1), Event(second: 5, mark: 1), Event(second: 9)], method)
    #expect(summary.accepted == 0 && summary.duplicates == 3 && summary.commit == nil)
    #expect(try store.events() == [Event(second: 5, mark: 5)])
  }

  @Test(arguments: Method.allCases, Sweeps.seeds(30, sample: 6))
  func `of the duplicates of one batch the one with the smallest time, then bytes, stays, in any order`(
    method: Method, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    var expected: [String: Event] = [:]
    for round in 0..<4 {
      let batch = (0..<Int.random(in: 1...150, using: &random)).map { _ in Event.random(using: &random) }
      var firsts: [String: Event] = [:]
      for event in batch where expected[event.identity] == nil {
        firsts[event.identity] = min(firsts[event.identity] ?? event, event)
      }
      let summary = try store.ingest(batch, method, threads: Int.random(in: 1...3, using: &random))
      #expect(summary.accepted == firsts.count, "seed \(seed), round \(round)")
      expected.merge(firsts) { stored, _ in stored }
      #expect(try store.events() == Set(expected.values), "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: Sweeps.seeds(10, sample: 3))
  func `both leave the same log, byte by byte, also of an ingest of several commits`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let batches = (0..<3).map { _ in (0..<300).map { _ in Event.random(using: &random) } }
    let logs = try Method.allCases.map { method in
      let store = try IndexedStore(catalog: RandomHistories.catalog())
      for batch in batches { try store.ingest(batch, method, commitRawBytesTarget: 8000) }
      let reader = try store.reader()
      #expect(reader.commits.count > 3)
      return try reader.members().flatMap { try reader.read($0) }
    }
    #expect(logs[0] == logs[1], "seed \(seed)")
  }
}

/// An event with the fields that these tests compare. Of two with one identity and time, that with the smaller mark has the
/// smaller record.
private struct Event: Hashable, Comparable {
  var app = "cleaner"
  var subject = "s1"
  var name = "opened"
  var id = "1"
  var second = 0
  var mark = 0
  /// A field that is not part of the identity, and is not read back.
  var more = ""

  var identity: String { "\(app) \(subject) \(name) \(id)" }

  var line: String {
    #"{"name":"\#(name)","ts":\#(1_795_168_800_000 + second * 1000),"subject":"\#(subject)","app":"\#(app)","id":"\#(id)","#
      + (more.isEmpty ? "" : more + ",") + #""props":{"a":\#(mark)}}"#
  }

  static func < (a: Event, b: Event) -> Bool { (a.second, a.mark) < (b.second, b.mark) }

  static func random(using random: inout SeededGenerator) -> Event {
    // The ids have each form in which the index stores them, or nearly one of these forms.
    let digits = [
      "0f4e5a06-9d0a-4c0e-8f14-3a1c5f1b2d3", "0f4e5a069d0a4c0e8f143a1c5f1b2d3", "0F4E5A06-9D0A-4C0E-8F14-3A1C5F1B2D3", "i",
    ]
    return Event(
      app: ["cleaner", "clarity"].randomElement(using: &random)!, subject: "s\(Int.random(in: 0..<4, using: &random))",
      name: ["opened", "closed"].randomElement(using: &random)!,
      id: "\(digits.randomElement(using: &random)!)\(Int.random(in: 0..<3, using: &random))",
      second: Int.random(in: 0..<4, using: &random), mark: Int.random(in: 0..<10, using: &random))
  }
}

extension IndexedStore {
  @discardableResult
  fileprivate func ingest(
    _ events: [Event], _ method: KnownEventsTests.Method, threads: Int = 1, commitRawBytesTarget: Int = 256 << 20
  ) throws -> IngestSummary {
    let input = try TemporaryFolder()
    for (number, half) in [events[..<(events.count / 2)], events[(events.count / 2)...]].enumerated() {
      try input.write(Array(half.map(\.line).joined(separator: "\n").utf8), to: "\(number).ndjson")
    }
    let (files, writer) = (try InputFile.files(at: [input.path]), try lock())
    let ingestor = Ingestor(
      into: writer, catalog: catalog,
      options: .init(decoding: Self.decoding, threads: threads, commitRawBytesTarget: commitRawBytesTarget))
    switch method {
    case .byScan:
      return try ingestor.ingest(files, knownBy: ScannedStore(writer.reader, threads: threads), progress: { _ in })
    case .byIndex:
      let known = IndexedEvents(into: writer, threads: threads)
      let summary = try ingestor.ingest(files, knownBy: known, progress: { _ in })
      #expect(known.problem == nil)
      return summary
    }
  }

  /// Returns the events of the log.
  fileprivate func events() throws -> Set<Event> {
    let reader = try reader()
    let lines = try reader.members().flatMap { try reader.read($0).split(separator: UInt8(ascii: "\n")) }
    let events = try lines.map { line in
      let root = try JSONDocument(parsing: Array(line)).root
      let time = Timestamp(rfc3339: try #require(root["ts"]?.string))
      return Event(
        app: try #require(root["app"]?.string), subject: try #require(root["subject"]?.string),
        name: try #require(root["name"]?.string), id: try #require(root["id"]?.string),
        second: Int(try #require(time).milliseconds - 1_795_168_800_000) / 1000,
        mark: Int(try #require(root["props"]?["a"]?.integer)))
    }
    #expect(Set(events).count == events.count)
    return Set(events)
  }
}
