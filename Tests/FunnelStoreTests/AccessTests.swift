import Foundation
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct AccessTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws { folder = try TemporaryFolder() }

  @Test func aSecondWriterWaitsAndThenGivesUp() throws {
    let first = try StoreScenario.writer(store)
    let message = "another command is writing to the store \(store), waited 50ms, try again later or raise --lock-timeout"
    let clock = ContinuousClock()
    let waited = clock.measure {
      #expect(throws: FunnelError(.locked, message)) {
        try StoreWriter.open(store, lockTimeout: TimeSpan(milliseconds: 50))
      }
    }
    #expect(waited >= .milliseconds(50))
    withExtendedLifetime(first) {}
  }

  @Test func aSecondWriterGoesOnWhereTheFirstOneEnded() async throws {
    let store = store
    var first: StoreWriter? = try StoreScenario.writer(store)
    _ = try first?.commit(StoreScenario.batch(1))
    // Waiting for the lock blocks a thread, which must not be one of those that tests run on.
    async let second = withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try StoreWriter.open(store, lockTimeout: TimeSpan(milliseconds: 60_000)).reader.commits.count })
      }
    }
    try await Task.sleep(for: .milliseconds(60))
    _ = try first?.commit(StoreScenario.batch(2))
    first = nil
    #expect(try await second == 2)
  }

  @Test func readersNeedNoLockAndKeepWhatTheySaw() throws {
    let writer = try StoreScenario.writer(store)
    _ = try writer.commit(StoreScenario.batch(1))
    let reader = try StoreReader.open(store)
    _ = try writer.commit(StoreScenario.batch(2))
    #expect(try StoreScenario.lines(reader).sorted() == StoreScenario.lines(of: [StoreScenario.batch(1)]))
    #expect(reader.eventCount == 12)
  }

  @Test func readersNeverChangeTheDisk() throws {
    do { _ = try StoreScenario.writer(store).commit(StoreScenario.batch(1)) }
    let fileSystem = FaultyFileSystem(.failures(fromCall: 1))
    let reader = try StoreReader.open(store, fileSystem: fileSystem)
    #expect(try StoreScenario.lines(reader).count == 12)
    #expect(try StoreVerification.run(store, fileSystem: fileSystem) == [])
    #expect(fileSystem.calls == 0)
  }

  @Test func aFileIsNoStore() throws {
    try folder.write([1], to: "store")
    #expect(
      throws: FunnelError(.cannotCreate, "cannot create the folder \(store): something else has that name, choose another")
    ) {
      try StoreScenario.writer(store)
    }
    #expect { try StoreReader.open(store) } throws: { ($0 as? FunnelError)?.code == .noInput }
  }

  @Test func anEmptyFolderIsNoStoreToReadersAndBecomesOneToWriters() throws {
    #expect { try StoreReader.open(folder.path) } throws: { ($0 as? FunnelError)?.code == .noInput }
    _ = try StoreScenario.writer(folder.path).commit(StoreScenario.batch(1))
    #expect(try StoreReader.open(folder.path).eventCount == 12)
  }

  @Test func aStoreInFoldersThatAreMissingIsMadeWithThem() throws {
    _ = try StoreScenario.writer(folder.path("a/b/store")).commit(StoreScenario.batch(1))
    #expect(try StoreReader.open(folder.path("a/b/store/")).eventCount == 12)
  }

  @Test func aStoreWhereNothingCanBeMadeIsAnError() throws {
    #expect { try StoreScenario.writer("/proc/store") } throws: { ($0 as? FunnelError)?.code == .cannotCreate }
  }

  @Test func noLinkInsideAStoreIsFollowed() throws {
    do { _ = try StoreScenario.writer(store).commit(StoreScenario.batch(1)) }
    let day = "store/log/dt=2026-11-21"
    let elsewhere = folder.path("elsewhere")
    try FileManager.default.moveItem(atPath: folder.path(day), toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: folder.path(day), withDestinationPath: elsewhere)
    for attempt in [{ _ = try StoreReader.open(store) }, { _ = try StoreScenario.writer(store) }] {
      #expect { try attempt() } throws: { error in
        (error as? FunnelError)?.message.contains("is a file or a link instead of a folder") == true
      }
    }
    #expect(try folder.contents("elsewhere/part-00000.ndjson.gz").count > 100)
  }

  @Test func aStoreMayBeReachedByALink() throws {
    do { _ = try StoreScenario.writer(store).commit(StoreScenario.batch(1)) }
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: store)
    _ = try StoreScenario.writer(folder.path("link")).commit(StoreScenario.batch(2))
    #expect(try StoreReader.open(store).eventCount == 24)
  }

  @Test func filesOfOthersInTheStoreAreLeftAlone() throws {
    do { _ = try StoreScenario.writer(store).commit(StoreScenario.batch(1)) }
    try folder.write([1], to: "store/log/README")
    try folder.write([1], to: "store/log/dt=2026-11-21/part-0.ndjson.gz")
    #expect(try StoreScenario.writer(store).recovery == nil)
    #expect(try folder.files().contains("store/log/README"))
    #expect(try folder.files().contains("store/log/dt=2026-11-21/part-0.ndjson.gz"))
  }

  @Test func afterAFailedCommitAWriterRefusesToGoOn() throws {
    let counter = FaultyFileSystem()
    do { _ = try StoreScenario.writer(folder.path("other"), counter).commit(StoreScenario.batch(1)) }
    let fileSystem = FaultyFileSystem(.failure(atCall: counter.calls - 5))
    let writer = try StoreScenario.writer(store, fileSystem)
    #expect(throws: FunnelError(.inputOutput, "failed by the test: No space left on device")) {
      try writer.commit(StoreScenario.batch(1))
    }
    let message = "a commit to \(store) failed before, nothing more is written to it, run the command again"
    #expect(throws: FunnelError(.inputOutput, message)) { try writer.commit(StoreScenario.batch(1)) }
    // The bytes that the failed commit wrote are already removed.
    #expect(try folder.files().filter { $0.hasPrefix("store/") && $0.hasSuffix(".gz") } == [])
  }

  @Test func recoverySaysInOneLineWhatItCut() throws {
    do { _ = try StoreScenario.writer(store).commit(StoreScenario.batch(1)) }
    let part = try #require(try folder.files().first { $0.hasSuffix(".gz") })
    try folder.write(try folder.contents(part) + [1, 2, 3], to: part)
    let recovery = try StoreScenario.writer(store).recovery
    #expect(
      recovery == "recovered \(store): removed what an interrupted command left (3 bytes of parts, 0 bytes of the journal)")
  }
}
