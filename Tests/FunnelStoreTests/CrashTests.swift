import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// A commit is interrupted at every call that changes the disk, in every way; afterwards all of it or nothing must be there.
@Suite struct CrashTests {
  /// The ways in which a commit ends at a call.
  enum Ending: CaseIterable {
    case killedBefore, killedAfter, killedDuring, failed, halfDone, diskFull

    func fault(at call: Int) -> FaultyFileSystem.Fault {
      switch self {
      case .killedBefore: .killBefore(call: call)
      case .killedAfter: .killAfter(call: call)
      case .killedDuring: .killDuring(call: call)
      case .failed: .failure(atCall: call)
      case .halfDone: .halfDone(atCall: call)
      case .diskFull: .failures(fromCall: call)
      }
    }

    /// Whether power is lost as well: a power failure may have killed the command, but does not make it fail.
    var powerLosses: [Bool] {
      switch self {
      case .killedBefore, .killedAfter, .killedDuring: [false, true]
      case .failed, .halfDone, .diskFull: [false]
      }
    }
  }

  /// The state before the commit, and the commit that follows.
  enum Beginning: CaseIterable {
    case nothing, oneCommit, deadLettersToReplay, tornCommit

    func prepare() throws -> (folder: TemporaryFolder, before: [CommitBatch], after: [CommitBatch], batch: CommitBatch) {
      let folder = try TemporaryFolder()
      var batch = StoreScenario.batch(2)
      if self == .nothing { return (folder, [], [batch], batch) }
      let first = StoreScenario.batch(1)
      do {
        let writer = try StoreScenario.writer(folder.path("store"))
        _ = try writer.commit(first)
        if self == .deadLettersToReplay { batch.removed = writer.reader.logFiles(of: .rejected).map(\.name) }
      }
      if self == .tornCommit { try Self.tear(folder) }
      var rest = first
      if self == .deadLettersToReplay { rest.deadLetters = [:] }
      return (folder, [first], [rest, batch], batch)
    }

    /// Kills a writer after the journal line and before its line feed, so that the next writer has more to recover.
    private static func tear(_ folder: TemporaryFolder) throws {
      let counter = FaultyFileSystem()
      let copy = try folder.copy()
      _ = try StoreScenario.writer(copy.path("store"), counter).commit(StoreScenario.batch(9))
      let killer = FaultyFileSystem(.killBefore(call: counter.calls - 2))
      _ = try? StoreScenario.writer(folder.path("store"), killer).commit(StoreScenario.batch(9))
    }
  }

  @Test(arguments: Beginning.allCases, Ending.allCases)
  func aBrokenCommitIsThereWhollyOrNotAtAll(_ beginning: Beginning, _ ending: Ending) throws {
    let (folder, before, after, batch) = try beginning.prepare()
    let counter = FaultyFileSystem()
    let whole = try folder.copy()
    _ = try StoreScenario.writer(whole.path("store"), counter).commit(batch)
    #expect(counter.calls >= 15)
    for call in 1...counter.calls where Sweeps.tries(call, oneIn: 3) {
      for losesPower in ending.powerLosses {
        let folder = try folder.copy()
        let fileSystem = FaultyFileSystem(ending.fault(at: call))
        let outcome = Result { _ = try StoreScenario.writer(folder.path("store"), fileSystem).commit(batch) }
        if losesPower { try fileSystem.losePower() }
        let comment: Comment = "\(beginning), \(ending) at call \(call) of \(counter.calls), power lost: \(losesPower)"
        try expectWholeOrNothing(folder, outcome, before, after, comment)
      }
    }
  }

  @Test func aRecoveryReadsTheJournalAndNothingOfTheParts() throws {
    let (folder, _, _, batch) = try Beginning.tornCommit.prepare()
    let disk = ReadCountingFileSystem()
    let writer = try StoreScenario.writer(folder.path("store"), disk)
    #expect(writer.recovery != nil)
    _ = try writer.commit(batch)
    // Recovery reads no parts, so that its time does not depend on the size of the log.
    #expect(disk.bytes(ofFilesEnding: ".gz") == 0)
    #expect(disk.bytes(ofFilesEnding: "journal.ndjson") > 0)
    _ = try StoreScenario.lines(StoreReader.open(folder.path("store"), fileSystem: disk))
    #expect(disk.bytes(ofFilesEnding: ".gz") > 0)
  }

  private func expectWholeOrNothing(
    _ folder: TemporaryFolder, _ outcome: Result<Void, any Error>, _ before: [CommitBatch], _ after: [CommitBatch],
    _ comment: Comment
  ) throws {
    let store = folder.path("store")
    let reader = try? StoreReader.open(store)
    #expect(reader != nil || before.isEmpty, comment)
    let lines = try reader.map { try StoreScenario.lines($0).sorted() } ?? []
    let found = lines == StoreScenario.lines(of: after) ? after : before
    if case .success = outcome { #expect(found.count == after.count, comment) }
    #expect(lines == StoreScenario.lines(of: found), comment)
    let deadLetters = try reader.map { try StoreScenario.lines($0, .rejected).sorted() } ?? []
    #expect(deadLetters == StoreScenario.lines(of: found, .rejected), comment)

    // The next commit is shorter than the interrupted one, so that it can't hide remains by overwriting them.
    let next = StoreScenario.batch(3, events: 2)
    _ = try StoreScenario.writer(store).commit(next)
    for area in LogFileName.Area.allCases {
      let expected = StoreScenario.lines(of: found + [next], area)
      #expect(try StoreScenario.lines(store, area).sorted() == expected, comment)
      #expect(try ForeignReader.lines(folder, area).sorted() == expected, comment)
    }
    #expect(try StoreVerification.run(store) == [], comment)
  }
}
