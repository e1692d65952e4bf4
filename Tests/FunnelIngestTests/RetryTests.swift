import FunnelDecoding
import FunnelStore
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// Dead letters are replayed, many at a time, in commits of any size.
@Suite struct RetryTests {
  /// A time so early that every event is rejected as being in the future.
  private static let before = Timestamp(rfc3339: "2006-01-01T00:00:00Z")!

  /// Returns three files of lines in many shapes, the second one with a default app.
  private static func logs(seed: UInt64) -> [(bytes: [UInt8], app: String?)] {
    var lines = OddLines(seed: seed, brokenPercentage: 12)
    let withoutApp = (0..<20).map { #"{"name":"opened","ts":\#(1_794_787_200_000 + $0),"subject":"w\#($0 % 3)"}"# + "\n" }
    return [
      (lines.text(60), nil), (lines.text(40) + Array(("\n" + withoutApp.joined()).utf8), "cleaner"), (lines.text(60), nil),
    ]
  }

  private static func store(of logs: [(bytes: [UInt8], app: String?)], now: Timestamp) throws -> ErasedStore {
    let store = try ErasedStore()
    for (number, log) in logs.enumerated() {
      try store.folder.write(log.bytes, to: "\(number).ndjson")
      try store.ingest(files: ["\(number).ndjson"], app: log.app, now: now)
    }
    return store
  }

  /// Returns the dead letters without the times of their ingests and the folders of their files.
  private static func letters(_ store: ErasedStore) throws -> [DeadLetter] {
    try DeadLetters.entries(of: store.reader()).map { entry in
      var letter = entry.letter
      letter.file = letter.file.split(separator: "/").last.map(String.init) ?? ""
      return letter
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a retry comes to what an ingest of the lines would come to today`(seed: UInt64) throws {
    let logs = Self.logs(seed: seed)
    // Each file is ingested alone: of duplicates in several files, that of the first one stays, whatever its time.
    for (number, log) in logs.enumerated() {
      let comment: Comment = "seed \(seed), file \(number)"
      let (today, retried) = (try Self.store(of: [log], now: Decoded.now), try Self.store(of: [log], now: Self.before))
      #expect(try retried.reader().eventCount == 0, comment)
      let letters = try Self.letters(retried)
      let summary = try retried.retry(on: retried.writer(), now: Decoded.now, threads: 1 + number)
      #expect(try retried.lines(of: .log) == today.lines(of: .log), comment)
      #expect(try Self.letters(retried) == Self.letters(today), comment)
      #expect(summary.letters == letters.count && summary.refused > 0 && summary.events.accepted > 0, comment)
      let left = try Self.letters(retried).count
      #expect(summary.letters - summary.events.accepted - summary.events.duplicates == left, comment)
      #expect(try StoreVerification.run(retried.path, checker: StoredRecordChecker()) == [], comment)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [1, 3])
  func `in many small commits it comes to the same`(seed: UInt64, threads: Int) throws {
    let comment: Comment = "seed \(seed), \(threads) threads"
    let (whole, parted) = (
      try Self.store(of: Self.logs(seed: seed), now: Self.before), try Self.store(of: Self.logs(seed: seed), now: Self.before)
    )
    let commits = try parted.reader().commits.count
    let expected = try whole.retry(on: whole.writer(), now: Decoded.now)
    var summary = try parted.retry(on: parted.writer(), now: Decoded.now, threads: threads, commitRawBytesTarget: 2000)
    #expect(try whole.reader().commits.count == commits + 1 && parted.reader().commits.count > commits + 4, comment)
    #expect(try summary.events.commit == parted.reader().commits.count, comment)
    summary.events.commit = expected.events.commit
    // Of duplicates with different times another one may stay, as with duplicates in different ingests.
    summary.events.timestamps = expected.events.timestamps
    #expect(summary == expected, comment)
    #expect(try Self.letters(parted) == Self.letters(whole), comment)
    #expect(try StoreVerification.run(parted.path, checker: StoredRecordChecker()) == [], comment)
    #expect(try parted.retry(on: parted.writer(), now: Decoded.now).events.commit == nil, comment)
  }

  @Test func `members of which nothing passes and nothing changes stay byte by byte`() throws {
    let store = try ErasedStore()
    try store.ingest((0..<40).map { "{ \($0)" })
    let members = try store.members(of: .rejected).map(\.bytes)
    try store.ingest([#"{"name":"opened","ts":\#(1_795_500_000_000),"subject":"s1","app":"cleaner"}"#])
    let summary = try store.retry(on: store.writer(), now: Timestamp(milliseconds: 1_795_500_000_000))
    #expect(summary.letters == 41 && summary.events.accepted == 1 && summary.refused == 40)
    #expect(try store.members(of: .rejected).map(\.bytes) == members && members.count > 5)
  }
}
