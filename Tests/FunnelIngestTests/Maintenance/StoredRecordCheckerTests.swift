import FunnelDecoding
import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// A verification that also checks the records.
@Suite struct StoredRecordCheckerTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }
  private static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  init() throws { folder = try TemporaryFolder() }

  /// Returns a canonical record, a number of days before now.
  private func record(_ id: String, daysAgo: Int = 0, subject: String = "s1") -> String {
    let day = Timestamp(milliseconds: Self.now.milliseconds - Int64(daysAgo) * Timestamp.millisecondsPerDay)
    return
      #"{"name":"opened","ts":"\#(day)","subject":"\#(subject)","app":"cleaner","id":"\#(id)","received_at":"\#(Self.now)","v":1}"#
  }

  /// Commits records, filed under the day a number of days before now.
  private func commit(_ records: [String], daysAgo: Int = 0, deadLetters: [String] = []) throws {
    var options = StoreWriter.Options()
    options.memberRawBytesTarget = 400
    let writer = try StoreWriter.open(store, lockTimeout: lockPatience, options: options)
    var batch = CommitBatch(kind: .ingest, at: Self.now)
    let time = Timestamp(milliseconds: Self.now.milliseconds - Int64(daysAgo) * Timestamp.millisecondsPerDay)
    for record in records { batch.events[time.day, default: RecordBatch()].append(record.utf8, timestamp: time) }
    for letter in deadLetters { batch.deadLetters[time.day, default: RecordBatch()].append(letter.utf8, timestamp: time) }
    _ = try writer.commit(batch)
  }

  private func findings(threads: Int = 1, hashBytesMax: Int = Limits.verificationHashBytesMax) throws -> [String] {
    try StoreVerification.run(store, checker: StoredRecordChecker(), threads: threads, hashBytesMax: hashBytesMax)
      .map { String($0.description.dropFirst(store.count + 1)) }
  }

  @Test func recordsAsTheyAreWrittenAreSound() throws {
    try commit((0..<20).map { record("a\($0)") })
    try commit((0..<20).map { record("a\($0)", daysAgo: 1, subject: "s2") }, daysAgo: 1)
    #expect(try findings() == [])
    #expect(try findings(threads: 3, hashBytesMax: 32) == [])
  }

  @Test(arguments: [
    (#"{"name":"opened""#, #"{ "name":"opened""#), (#""v":1}"#, #""v":1,"x":2}"#), (#","id":"b""#, ""),
    (#"12:00:00.000Z","subject"#, #"12:00:00Z","subject"#), (#""subject":"s1""#, #""subject":"\u0073\u0031""#),
  ])
  func aRecordInAnotherFormIsNamed(canonical: String, other: String) throws {
    let changed = record("b").replacing(canonical, with: other)
    #expect(changed != record("b"))
    try commit([record("a"), changed, record("c")])
    #expect(
      try findings() == [
        "log/dt=2026-11-21/part-00000.ndjson.gz at byte 0, record 2: it is not in the form in which funnel writes it"
      ])
  }

  @Test func whatIsNoEventIsNamed() throws {
    try commit([record("a"), "{", "", record("b")])
    let place = "log/dt=2026-11-21/part-00000.ndjson.gz at byte 0, record"
    let found = try findings()
    #expect(found.count == 2)
    #expect(found[0].hasPrefix("\(place) 2: it is not an event: "), "\(found)")
    #expect(found[1] == "\(place) 3: the line is blank")
  }

  @Test func anEventUnderAnotherDayIsNamed() throws {
    try commit([record("a"), record("b", daysAgo: 1)])
    let other = "2026-11-20T12:00:00.000Z"
    #expect(
      try findings() == [
        "log/dt=2026-11-21/part-00000.ndjson.gz at byte 0, record 2: it happened at \(other), which does not belong to this day"
      ])
  }

  @Test func aHeaderThatNamesOtherTimesThanItsRecordsIsNamed() throws {
    let writer = try StoreWriter.open(store, lockTimeout: lockPatience)
    var batch = CommitBatch(kind: .ingest, at: Self.now)
    let later = Timestamp(milliseconds: Self.now.milliseconds + 5)
    batch.events[Self.now.day, default: RecordBatch()].append(record("a").utf8, timestamp: later)
    _ = try writer.commit(batch)
    #expect(
      try findings() == [
        "log/dt=2026-11-21/part-00000.ndjson.gz at byte 0: a member's records are from \(Self.now) to \(Self.now) but its header says otherwise"
      ])
  }

  @Test(arguments: [Limits.verificationHashBytesMax, 8, 80])
  func anEventThatStandsInTheLogTwiceIsNamedWhateverTheMemory(hashBytesMax: Int) throws {
    try commit((0..<9).map { record("a\($0)") })
    try commit([record("b"), record("a7"), record("c")])
    try commit([record("a8", daysAgo: 2), record("a8", daysAgo: 2, subject: "s2")], daysAgo: 2)
    for threads in [1, 3] {
      let found = try findings(threads: threads, hashBytesMax: hashBytesMax)
      #expect(found.count == 2, "\(found)")
      #expect(found.contains { $0.contains("of log/dt=2026-11-19/part-00000.ndjson.gz, record 1") }, "\(found)")
      #expect(
        found.contains { $0.hasPrefix("log/dt=2026-11-21") && $0.contains("record 2: the event is already in the log") })
    }
  }

  @Test func aDeadLetterInAnotherFormOrUnderAnotherDayIsNamed() throws {
    let text =
      #"{"v":1,"at":"\#(Self.now)","file":"a\u001b","line":3,"offset":7,"reason":"invalid_json","message":"no \"end\"","raw_base64":"/wpB","raw_bytes":9,"truncated":true,"app":"cleaner"}"#
    try commit([], deadLetters: [text])
    #expect(try findings() == [])
    try commit([], daysAgo: 1, deadLetters: [text, text.replacing("\"line\":3", with: "\"line\": 3"), "{}"])
    let place = "rejected/dt=2026-11-20/part-00000.ndjson.gz at byte 0, record"
    #expect(
      try findings() == [
        "\(place) 1: it was rejected at 2026-11-21T12:00:00.000Z, which does not belong to this day",
        "\(place) 2: it is not in the form in which funnel writes it", "\(place) 3: it is not a dead letter",
      ])
  }
}
