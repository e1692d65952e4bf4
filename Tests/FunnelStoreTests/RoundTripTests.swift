import Foundation
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct RoundTripTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws { folder = try TemporaryFolder() }

  @Test func whatIsCommittedIsRead() throws {
    let batch = StoreScenario.batch(1)
    let commit = try StoreScenario.writer(store, LocalFileSystem()).commit(batch)
    #expect(commit.number == 1 && commit.events == 12 && commit.rejected == 1)
    #expect(commit.timestamps?.upperBound == StoreScenario.now)
    #expect(try StoreScenario.lines(store).sorted() == StoreScenario.lines(of: [batch]))
    #expect(try StoreScenario.lines(store, .rejected) == StoreScenario.lines(of: [batch], .rejected))
    let reader = try StoreReader.open(store)
    #expect(reader.eventCount == 12 && reader.deadLetterCount == 1 && reader.commits == [commit])
    #expect(reader.hash == commit.hash)
  }

  @Test(arguments: [1, 4])
  func manyCommitsRollPartsAndKeepTheirOrder(threads: Int) throws {
    let batches = (1...40).map { StoreScenario.batch($0, events: 4 + $0 % 7) }
    for run in 0..<4 {
      // Each writer must derive its state from the journal alone.
      let writer = try StoreScenario.writer(store, options: StoreScenario.options(threads: threads))
      #expect(writer.recovery == nil)
      for batch in batches[(run * 10)..<(run * 10 + 10)] {
        let commit = try writer.commit(batch)
        #expect(writer.reader.hash == commit.hash)
      }
    }
    let reader = try StoreReader.open(store)
    #expect(reader.logFiles(of: .log).count > 10)
    #expect(reader.logFiles(of: .log).dropLast().allSatisfy { $0.bytes < 2000 })
    let found = try StoreScenario.lines(store)
    #expect(found.sorted() == StoreScenario.lines(of: batches))
    // Within a day the lines are in the order of their commits.
    let day = StoreScenario.now.day
    let expected = batches.flatMap {
      String(decoding: $0.events[day]!.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    #expect(found.filter { $0.contains("\"ts\":\"\(day)") } == expected)
    #expect(try StoreVerification.run(store, threads: threads) == [])
  }

  @Test func membersSayWhatIsInThemAndWhichCommitWroteThem() throws {
    let writer = try StoreScenario.writer(store)
    _ = try writer.commit(StoreScenario.batch(1))
    let second = try writer.commit(StoreScenario.batch(2))
    let members = try writer.reader.members(after: 1)
    #expect(!members.isEmpty && members.allSatisfy { $0.commit == 2 })
    #expect(members.reduce(0) { $0 + $1.header.lines } == second.events)
    for member in try writer.reader.members() {
      let lines = String(decoding: try writer.reader.read(member), as: UTF8.self).split(separator: "\n")
      #expect(lines.count == member.header.lines)
      #expect(member.header.timestamps.lowerBound.day == member.logFile.day)
    }
  }

  @Test func anEmptyCommitIsACommit() throws {
    let writer = try StoreScenario.writer(store)
    let commit = try writer.commit(CommitBatch(kind: .ingest, at: StoreScenario.now))
    #expect(commit.events == 0 && commit.timestamps == nil && commit.appended.isEmpty)
    #expect(try StoreReader.open(store).commits == [commit])
  }

  @Test func aStoreThatWasMadeAndNeverWrittenToIsEmpty() throws {
    do { _ = try StoreScenario.writer(store) }
    #expect(try StoreReader.open(store).eventCount == 0)
    #expect(try StoreScenario.writer(store).recovery == nil)
  }

  @Test func replayedDeadLettersAreReplacedAndTheirPartsAreNotUsedAgain() throws {
    let writer = try StoreScenario.writer(store)
    _ = try writer.commit(StoreScenario.batch(1))
    var retry = CommitBatch(kind: .retry, at: StoreScenario.now)
    retry.removed = writer.reader.logFiles(of: .rejected).map(\.name)
    retry.deadLetters = StoreScenario.batch(2).deadLetters
    _ = try writer.commit(retry)
    #expect(try StoreScenario.lines(store, .rejected) == [#"{"line":2}"#])
    #expect(try folder.files().filter { $0.contains("rejected") } == ["store/rejected/dt=2026-11-21/part-00001.ndjson.gz"])
    retry.removed = writer.reader.logFiles(of: .rejected).map(\.name)
    retry.deadLetters = [:]
    _ = try writer.commit(retry)
    _ = try writer.commit(StoreScenario.batch(3))
    #expect(writer.reader.logFiles(of: .rejected).map(\.name.number) == [2])
    #expect(try StoreVerification.run(store) == [])
  }

  @Test func schemasAreKept() throws {
    let writer = try StoreScenario.writer(store)
    try writer.putSchemas([("b.json", [1]), ("a.json", [2, 3])])
    try writer.putSchemas([("b.json", [4])])
    let schemas = try StoreReader.open(store).schemas()
    #expect(schemas.map(\.name) == ["a.json", "b.json"] && schemas.map(\.bytes) == [[2, 3], [4]])
  }

  @Test func theStoreIsForItsOwnerAlone() throws {
    let writer = try StoreScenario.writer(store)
    _ = try writer.commit(StoreScenario.batch(1))
    try writer.putSchemas([("a.json", [1])])
    let manager = FileManager.default
    for name in try [""] + manager.subpathsOfDirectory(atPath: store) {
      let attributes = try manager.attributesOfItem(atPath: store + "/" + name)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
    }
  }
}
