import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// A commit that rewrites parts is interrupted at every call that changes the disk; afterwards the old or the new records must
/// be there.
@Suite struct RewritingCrashTests {
  @Test(arguments: CrashTests.Ending.allCases)
  func aBrokenRewriteIsThereWhollyOrNotAtAll(_ ending: CrashTests.Ending) throws {
    let folder = try TemporaryFolder()
    for number in 1...4 {
      _ = try StoreScenario.writer(folder.path("store")).commit(StoreScenario.batch(number))
    }
    let (whole, counter) = (try folder.copy(), FaultyFileSystem())
    try rewrite(whole, counter)
    let (before, after) = (try StoreScenario.lines(folder.path("store")), try StoreScenario.lines(whole.path("store")))
    #expect(counter.calls >= 20 && before != after)
    for call in 1...counter.calls where Sweeps.tries(call, oneIn: 3) {
      for losesPower in ending.powerLosses {
        let folder = try folder.copy()
        let fileSystem = FaultyFileSystem(ending.fault(at: call))
        let outcome = Result { try rewrite(folder, fileSystem) }
        if losesPower { try fileSystem.losePower() }
        let comment: Comment = "\(ending) at call \(call) of \(counter.calls), power lost: \(losesPower)"
        let found = try StoreScenario.lines(folder.path("store"))
        #expect(found == after || (found == before && !isSuccess(outcome)), comment)
        let isNew = found == after

        // The next writer recovers the store: afterwards no bytes are there that no commit covers.
        _ = try StoreScenario.writer(folder.path("store")).commit(CommitBatch(kind: .ingest, at: StoreScenario.now))
        for area in [LogFileName.Area.log, .forgotten] {
          let lines = try StoreScenario.lines((isNew ? whole : folder).path("store"), area)
          #expect(try StoreScenario.lines(folder.path("store"), area) == lines, comment)
          #expect(try ForeignReader.lines(folder, area) == lines, comment)
        }
        #expect(try StoreVerification.run(folder.path("store")) == [], comment)
      }
    }
  }

  private func rewrite(_ folder: TemporaryFolder, _ fileSystem: FaultyFileSystem) throws {
    let writer = try StoreScenario.writer(folder.path("store"), fileSystem)
    var batch = RewriteScenario.batch(of: writer.reader)
    batch.tombstones[StoreScenario.now.day, default: RecordBatch()].append("{}".utf8, timestamp: StoreScenario.now)
    try RewriteScenario.rewrite(writer, batch)
  }

  private func isSuccess(_ outcome: Result<Void, any Error>) -> Bool {
    if case .success = outcome { true } else { false }
  }
}
