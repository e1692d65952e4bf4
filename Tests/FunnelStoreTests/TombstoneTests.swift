import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct TombstoneTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws { folder = try TemporaryFolder() }

  @Test func whoWasForgottenIsKnownAgainAndNobodyElseIs() throws {
    try forget(["ann", "bob"])
    let tombstones = try Tombstones(of: StoreReader.open(store))
    #expect(tombstones.count == 2 && !tombstones.isEmpty)
    for (subject, isForgotten) in [("ann", true), ("bob", true), ("an", false), ("annb", false), ("", false), ("Ann", false)] {
      #expect(contain(tombstones, subject) == isForgotten, "\(subject)")
    }
    #expect(
      try Tombstones().isEmpty && Tombstones(of: StoreReader.open(store)).lines(for: [Array("bob".utf8)], at: now).isEmpty)
  }

  @Test func aLineHoldsAHashAndItsSaltAndNothingElse() throws {
    try forget(["ann"])
    try forget(["bob", "ann", "cyd"])
    let lines = try StoreScenario.lines(store, .forgotten)
    #expect(lines.count == 3)
    let form = #/\{"v":1,"at":"2026-11-21T12:00:00.000Z","salt":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}/#
    let matches = try lines.map { try #require($0.wholeMatch(of: form)) }
    #expect(Set(matches.map(\.1)).count == 1)
    #expect(Set(matches.map(\.2)).count == 3)
    // The tombstones of one commit are sorted by hash, so that they do not tell the order in which the subjects were named.
    #expect(matches[1].2 < matches[2].2)
    #expect(try TraceSearch(for: "ann").traces(in: folder).isEmpty)
  }

  @Test func anotherStoreHasAnotherSalt() throws {
    try forget(["ann"])
    let other = try TombstoneTests()
    try other.forget(["ann"])
    #expect(try StoreScenario.lines(store, .forgotten) != StoreScenario.lines(other.store, .forgotten))
  }

  @Test func theHashIsThatOfRFC2104() throws {
    // The HMAC-SHA-256 of "ann" under a key of 32 bytes 0x00…0x1f, computed by Python's hmac module.
    let salt = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    let hash = "0d1f12b8196c52b0db44a5429c83230230c04b5adef6fa56f9cf70c5f0443242"
    var batch = CommitBatch(kind: .forget, at: now)
    let line = "{\"v\":1,\"at\":\"\(now)\",\"salt\":\"\(salt)\",\"hash\":\"\(hash)\"}"
    batch.tombstones[now.day, default: RecordBatch()].append(line.utf8, timestamp: now)
    _ = try StoreScenario.writer(store).commit(batch)
    #expect(try contain(Tombstones(of: StoreReader.open(store)), "ann"))
  }

  @Test(arguments: ["{}", "{\"v\":2,\"at\":\"2026-11-21T12:00:00.000Z\",\"salt\":\"\",\"hash\":\"\"}", "x"])
  func whatIsNoTombstoneIsDamage(line: String) throws {
    var batch = CommitBatch(kind: .forget, at: now)
    batch.tombstones[now.day, default: RecordBatch()].append(line.utf8, timestamp: now)
    _ = try StoreScenario.writer(store).commit(batch)
    let message =
      "a tombstone can't be read, forgotten/dt=2026-11-21/part-00000.ndjson.gz, check the store with 'funnel log verify'"
    #expect(throws: FunnelError(.inputOutput, message)) { try Tombstones(of: StoreReader.open(store)) }
  }

  @Test func aVerificationFindsTombstonesThatAreNoneOrOfAnotherDay() throws {
    /// A checker that finds nothing wrong.
    struct Nobody: RecordChecker {
      func check(_ lines: [UInt8], in part: LogFileName) -> RecordFindings { RecordFindings() }
    }
    try forget(["ann"])
    #expect(try StoreVerification.run(store, checker: Nobody()) == [])
    let writer = try StoreScenario.writer(store, options: .init())
    let line = try #require(try StoreScenario.lines(store, .forgotten).first)
    var batch = CommitBatch(kind: .forget, at: now)
    let tomorrow = Timestamp(milliseconds: now.milliseconds + Timestamp.millisecondsPerDay)
    for line in [line, "{\(line.dropFirst())}"] {
      batch.tombstones[tomorrow.day, default: RecordBatch()].append(line.utf8, timestamp: tomorrow)
    }
    _ = try writer.commit(batch)
    let place = "\(store)/forgotten/dt=2026-11-22/part-00000.ndjson.gz at byte 0, record"
    let findings = try StoreVerification.run(store, checker: Nobody()).map(\.description)
    #expect(
      findings == [
        "\(place) 1: it was made at 2026-11-21T12:00:00.000Z, which does not belong to this day",
        "\(place) 2: it is not a tombstone",
      ])
  }

  private var now: Timestamp { StoreScenario.now }

  private func forget(_ subjects: [String]) throws {
    let writer = try StoreScenario.writer(store)
    var batch = CommitBatch(kind: .forget, at: now)
    batch.tombstones[now.day] = try Tombstones(of: writer.reader).lines(for: subjects.map { Array($0.utf8) }, at: now)
    _ = try writer.commit(batch)
  }

  private func contain(_ tombstones: Tombstones, _ subject: String) -> Bool {
    Array(subject.utf8).withUnsafeBytes { tombstones.contain($0) }
  }
}
