import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct JournalTests {
  private let folder: TemporaryFolder
  private let journal = "store/log/journal.ndjson"
  private let head = "store/log/journal.head"
  /// The head before the first commit and after each.
  private let heads: [[UInt8]]
  private var store: String { folder.path("store") }

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    var heads = [try folder.contents(head)]
    for number in 1...3 {
      _ = try writer.commit(StoreScenario.batch(number, events: 2))
      heads.append(try folder.contents(head))
    }
    self.heads = heads
  }

  private func lines() throws -> [[UInt8]] {
    try folder.contents(journal).split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
  }

  private func message(_ body: () throws -> some Any) -> FunnelError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? FunnelError
    }
  }

  @Test func eachLineIsOneJSONObjectOfTheDocumentedForm() throws {
    let hash = try StoreReader.open(store).commits.map(\.hash)
    for (index, line) in try lines().enumerated() {
      let document = try JSONDocument(parsing: line.dropLast()).root
      let keys = document.object?.map(\.key)
      #expect(
        keys == [
          "v", "commit", "kind", "at", "events", "rejected", "first_ts", "last_ts", "appended", "removed", "prev", "sha256",
        ])
      #expect(document["v"]?.integer == 1 && document["commit"]?.integer == Int64(index + 1))
      #expect(document["events"]?.integer == 2 && document["rejected"]?.integer == 1)
      #expect(document["last_ts"]?.string == "2026-11-21T12:00:00.000Z")
      #expect(document["first_ts"]?.string == "2026-11-20T11:59:59.999Z")
      #expect(document["prev"]?.string == (index == 0 ? String(repeating: "0", count: 64) : hash[index - 1]))
      #expect(document["sha256"]?.string == hash[index])
      let extent = try #require(document["appended"]?.array?.first)
      #expect(extent.object?.map(\.key) == ["path", "offset", "bytes", "raw_bytes", "events", "sha256"])
      #expect(extent["path"]?.string == "log/dt=2026-11-20/part-00000.ndjson.gz")
    }
  }

  @Test func aLineTornAtAnyByteIsACommitThatWasNeverMade() throws {
    let lines = try lines()
    let whole = Array(lines[..<2].joined())
    let kept = (1...2).map { StoreScenario.batch($0, events: 2) }
    // The third commit was not made, so the head is that of the second.
    try folder.write(heads[2], to: head)
    for length in 0..<lines[2].count {
      try folder.write(whole + lines[2][..<length], to: journal)
      #expect(try StoreScenario.lines(store).sorted() == StoreScenario.lines(of: kept), "\(length) bytes of the last line")
    }
    for length in [0, 1, lines[2].count / 2, lines[2].count - 1] {
      let copy = try folder.copy()
      try copy.write(whole + lines[2][..<length], to: journal)
      let writer = try StoreScenario.writer(copy.path("store"))
      #expect(writer.recovery?.contains("\(length) bytes of the journal") == true)
      #expect(try copy.contents(journal) == whole)
      _ = try writer.commit(StoreScenario.batch(4, events: 2))
      #expect(
        try StoreScenario.lines(copy.path("store")).sorted()
          == StoreScenario.lines(of: kept + [StoreScenario.batch(4, events: 2)]))
    }
  }

  @Test func anyFlippedBitInALineIsDamageAndNothingIsCut() throws {
    let intact = try folder.contents(journal)
    let files = try folder.files()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let index = Int.random(in: 0..<intact.count, using: &generator)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      var damaged = intact
      damaged[index] ^= bit
      try folder.write(damaged, to: journal)
      // A last line without its line feed counts as torn; any other change is damage.
      if index == intact.count - 1 { continue }
      let error = message { try StoreReader.open(store) }
      #expect(error?.code == .inputOutput || error?.code == .configuration, "seed 7, byte \(index), bit \(bit)")
      #expect(message { try StoreScenario.writer(store) }?.code == error?.code, "seed 7, byte \(index), bit \(bit)")
      #expect(try folder.contents(journal) == damaged && folder.files() == files)
    }
  }

  @Test func aLineThatIsMissingOrMovedIsNamed() throws {
    let lines = try lines()
    try folder.write(lines[0] + lines[2], to: journal)
    let path = "\(store)/log/journal.ndjson"
    #expect(
      message { try StoreReader.open(store) }?.message
        == "line 2 of \(path) is damaged: it does not follow the line before, restore it from a backup, or keep what is intact with 'funnel log repair'"
    )
    try folder.write(lines[1] + lines[2], to: journal)
    #expect(message { try StoreReader.open(store) }?.message.hasPrefix("line 1 of \(path) is damaged") == true)
    #expect(
      try StoreVerification.run(store).map(\.description) == [
        "\(path) at byte 0: line 1 is damaged: it does not follow the line before; what follows it could not be verified"
      ])
  }

  @Test func aStoreOfANewerVersionIsRefused() throws {
    let newer = Array(#"{"v":3,"something":"else"}"#.utf8) + [UInt8(ascii: "\n")]
    try folder.write(Array(try lines().joined()) + newer, to: journal)
    for error in [message { try StoreReader.open(store) }, message { try StoreScenario.writer(store) }] {
      #expect(error?.code == .configuration)
      #expect(
        error?.message
          == "the store's journal \(store)/log/journal.ndjson is of version 3, this funnel reads versions up to 2, use a newer funnel"
      )
    }
  }

  @Test func aLostJournalIsNoReasonToCutTheParts() throws {
    let lost = try TemporaryFolder()
    let copy = try folder.copy()
    try copy.remove(journal)
    #expect(message { try StoreReader.open(copy.path("store")) }?.code == .inputOutput)
    let error = message { try StoreScenario.writer(copy.path("store")) }
    #expect(error?.code == .inputOutput && error?.message.contains("is missing although the store is not empty") == true)
    #expect(try copy.files().filter { $0.hasSuffix(".gz") }.count == 3)
    #expect(
      message { try StoreReader.open(lost.path("none")) }
        == FunnelError(
          .noInput, "there is no store at \(lost.path("none")), make one with: funnel ingest --store \(lost.path("none")) FILE")
    )
  }
}
