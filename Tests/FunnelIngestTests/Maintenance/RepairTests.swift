import FunnelDecoding
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct RepairTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try RecordLog.fill(folder.path("store"), commits: 0..<12, eventsMax: 20, seed: 5)
  }

  private func repair(
    _ path: String, isDryRun: Bool = false, _ fileSystem: any FileSystem = FaultyFileSystem()
  ) throws -> StoreRepair.Summary {
    try StoreRepair.run(
      path, checker: StoredRecordChecker(), at: RecordLog.now, lockTimeout: lockPatience, isDryRun: isDryRun,
      fileSystem: fileSystem)
  }

  /// Returns the lines that a repair must keep: those of members that were not touched, each with its day.
  private func lines(of reader: StoreReader, without isTouched: (MemberReference) -> Bool) throws -> Set<String> {
    var lines: Set<String> = []
    for area in [LogFileName.Area.log, .rejected] {
      for member in try reader.members(of: area) where !isTouched(member) {
        let text = String(decoding: try reader.read(member), as: UTF8.self)
        for line in text.split(separator: "\n") { lines.insert("\(member.logFile.day) \(line)") }
      }
    }
    return lines
  }

  private func allLines(_ path: String) throws -> [String] {
    try RecordLog.lines(path) + RecordLog.lines(path, .rejected)
  }

  /// Repairs, and checks everything that must hold after any damage.
  private func expectSound(_ path: String, left: Set<String>, all: Set<String>, _ what: String) throws {
    let preview = try repair(path, isDryRun: true)
    let summary = try repair(path)
    #expect(preview.asides == summary.asides, "\(what)")
    #expect(preview.eventsAfter == summary.eventsAfter && preview.isJournalNew == summary.isJournalNew, "\(what)")
    #expect(try RecordLog.findings(path) == [], "\(what)")
    let found = try allLines(path)
    #expect(Set(found).count == found.count, "\(what)")
    #expect(left.subtracting(found) == [] && Set(found).subtracting(all) == [], "\(what)")
    #expect(try StoreReader.open(path).eventCount == summary.eventsAfter, "\(what)")
    for commit in summary.commits { #expect(try StoreReader.open(path).commits[commit - 1].kind == .repair, "\(what)") }
    #expect(try repair(path).isEmpty, "\(what)")
    // The store accepts further commits.
    try RecordLog.fill(path, commits: 100..<101, seed: 5)
    #expect(try RecordLog.findings(path) == [], "\(what)")
  }

  @Test func aSoundStoreIsLeftAlone() throws {
    let files = try folder.files()
    #expect(try repair(folder.path("store"), isDryRun: true).isEmpty)
    let summary = try repair(folder.path("store"))
    #expect(summary.isEmpty && summary.commits.isEmpty && summary.eventsBefore == summary.eventsAfter)
    #expect(try folder.files() == files)
  }

  @Test func whateverHappensToAPartAllElseIsKeptAndWhatWasThereIsPutAside() throws {
    var random = SeededGenerator(seed: 21)
    let before = try StoreReader.open(folder.path("store"))
    let all = try lines(of: before) { _ in false }
    for round in 0..<Sweeps.count(200, sample: 12) {
      let copy = try folder.copy()
      let part = try #require((before.logFiles(of: .log) + before.logFiles(of: .rejected)).randomElement(using: &random)).name
      let intact = try copy.contents("store/\(part.path)")
      var bytes = intact
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 1...60, using: &random))
      var touched = start..<end
      switch round % 4 {
      case 0:
        bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        touched = start..<start + 1
      case 1: for index in start..<end { bytes[index] = 0 }
      case 2:
        bytes.removeLast(bytes.count - start)
        touched = start..<intact.count
      default:
        bytes = []
        touched = 0..<intact.count
      }
      let what = "seed 21, round \(round), \(part), bytes \(touched)"
      if bytes.isEmpty, round % 8 == 7 {
        try copy.remove("store/\(part.path)")
      } else {
        try copy.write(bytes, to: "store/\(part.path)")
      }
      let left = try lines(of: before) { member in
        member.logFile == part && touched.overlaps(member.offset..<member.offset + member.header.memberBytes)
      }
      try expectSound(copy.path("store"), left: left, all: all, what)
      for name in try copy.files() where name.hasPrefix("store/damaged/") && name.hasSuffix(".bin") {
        let range = name.dropLast(4).split(separator: "-").suffix(2).compactMap { Int($0) }
        try #require(range.count == 2)
        let offset = range[0]
        let aside = try copy.contents(name)
        #expect(aside.count == range[1] && aside == Array(bytes[offset..<(offset + aside.count)]), "\(what)")
      }
    }
  }

  @Test func aDamagedOrLostJournalIsMadeAnewOfItsSoundLinesAndTheParts() throws {
    let journal = "store/log/journal.ndjson"
    let all = try lines(of: StoreReader.open(folder.path("store"))) { _ in false }
    let intact = try folder.contents(journal)
    let lines = intact.split(separator: UInt8(ascii: "\n"))
    var random = SeededGenerator(seed: 4)
    for round in 0..<20 {
      let copy = try folder.copy()
      let path = copy.path("store")
      switch round {
      case 0: try copy.remove(journal)
      case 1: try copy.write([], to: journal)
      case 2: try copy.write([0, 10] + intact, to: journal)
      default:
        var bytes = intact
        let index = Int.random(in: 0..<bytes.count - 1, using: &random)
        bytes[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
        try copy.write(bytes, to: journal)
      }
      let damaged = round == 0 ? [] : try copy.contents(journal)
      let sound = zip(damaged.split(separator: UInt8(ascii: "\n")), lines).prefix { $0.0 == $0.1 }.count
      try expectSound(path, left: all, all: all, "seed 4, round \(round)")
      let asides = try copy.files().filter { $0.hasPrefix("store/damaged/") }
      #expect(try asides.map { try copy.contents($0) } == (damaged.isEmpty ? [] : [damaged]), "round \(round)")
      let commits = try StoreReader.open(path).commits.map(\.kind)
      #expect(
        Array(commits.prefix(sound + 1)) == Array(repeating: Commit.Kind.ingest, count: sound) + [.repair], "round \(round)")
    }
  }

  @Test(arguments: [0, 20, 300])
  func aLostJournalIsMadeAnewAlsoOfPartsWhoseLastMembersAreDamaged(offset: Int) throws {
    let before = try StoreReader.open(folder.path("store"))
    let all = try lines(of: before) { _ in false }
    var lasts: [MemberReference] = []
    for area in [LogFileName.Area.log, .rejected] {
      for (part, members) in Dictionary(grouping: try before.members(of: area), by: \.logFile) {
        let last = try #require(members.max { $0.offset < $1.offset })
        lasts.append(last)
        var bytes = try folder.contents("store/\(part.path)")
        let start = min(last.offset + offset, bytes.count - 12)
        for index in start..<start + 8 { bytes[index] ^= 0xff }
        try folder.write(bytes, to: "store/\(part.path)")
      }
    }
    try folder.remove("store/log/journal.ndjson")
    let left = try lines(of: before.tolerating()) { lasts.contains($0) }
    #expect(left.count < all.count)
    try expectSound(folder.path("store"), left: left, all: left, "byte \(offset) of each last member")
    let asides = try folder.files().filter { $0.hasPrefix("store/damaged/") }
    #expect(asides.count == lasts.count)
    #expect(try asides.map { try folder.contents($0).count }.reduce(0, +) == lasts.reduce(0) { $0 + $1.header.memberBytes })
  }

  @Test(arguments: 1...3)
  func aDryRunBesideACommandThatReplacesThePartsFindsNothing(touch: Int) throws {
    let path = folder.path("store")
    let disk = MeanwhileFileSystem(touch: touch, of: ".ndjson.gz") {
      let writer = try RecordLog.writer(path)
      let end = CivilDate(year: 2026, month: 11, day: 30)!
      _ = try StoreCompaction.run(on: writer, before: end, at: RecordLog.now, checker: StoredRecordChecker())
    }
    let commits = try StoreReader.open(path).commits.count
    #expect(try repair(path, isDryRun: true, disk).isEmpty)
    #expect(disk.hasHappened && disk.failure == nil, "\(disk.failure ?? "nothing happened")")
    #expect(try StoreReader.open(path).commits.count > commits)
  }

  @Test func ofALostLogFolderTheOtherAreasAreLeft() throws {
    let left = Set(try RecordLog.lines(folder.path("store"), .rejected))
    try folder.remove("store/log")
    #expect(!left.isEmpty)
    try expectSound(folder.path("store"), left: left, all: left, "no log folder")
  }

  @Test func whatLaterLinesOfADamagedJournalRemovedDoesNotComeBack() throws {
    let path = folder.path("store")
    let writer = try RecordLog.writer(path)
    var batch = CommitBatch(kind: .forget, at: RecordLog.now)
    let removed = try #require(writer.reader.logFiles(of: .log).first).name
    batch.removed = [removed]
    let part = try folder.contents("store/\(removed.path)")
    _ = try writer.commit(batch)
    let left = try lines(of: writer.reader) { _ in false }
    _ = consume writer
    var lines = try folder.contents("store/log/journal.ndjson").split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    lines[10].insert(0, at: lines[10].startIndex)
    try folder.write(Array(lines.joined(separator: [UInt8(ascii: "\n")])), to: "store/log/journal.ndjson")
    // The command was killed before it could unlink the removed part.
    let parent = folder.path("store/\(removed.folder)")
    _ = try? LocalFileSystem().createDirectory(StoragePath(parent))
    try folder.write(part, to: "store/\(removed.path)")
    try expectSound(path, left: left, all: left, "removed")
    #expect(try !folder.files().contains("store/\(removed.path)"))
  }

  @Test func recordsThatAreNotSoundArePutAsideAndMisplacedOnesGoToTheirDay() throws {
    let path = folder.path("store")
    let before = Set(try allLines(path))
    let writer = try RecordLog.writer(path)
    var batch = CommitBatch(kind: .ingest, at: RecordLog.now)
    let (good, time) = RecordLog.record("good", millisecondsAgo: 0)
    let misplaced = RecordLog.record("misplaced", millisecondsAgo: 3 * Timestamp.millisecondsPerDay)
    let bad = RecordLog.record("bad", millisecondsAgo: 0).line.replacing("\"v\":1", with: "\"v\": 1")
    for line in [good, misplaced.line, bad, "{", good] {
      batch.events[time.day, default: RecordBatch()].append(line.utf8, timestamp: time)
    }
    _ = try writer.commit(batch)
    _ = consume writer
    #expect(try RecordLog.findings(path).count == 4)
    let expected = before.union(["\(time.day) \(good)", "\(misplaced.timestamp.day) \(misplaced.line)"])
    try expectSound(path, left: expected, all: expected, "records")
    let asides = try folder.files().filter { $0.hasSuffix("-records.ndjson") }
    #expect(asides.count == 1)
    #expect(String(decoding: try folder.contents(asides[0]), as: UTF8.self) == "\(bad)\n{\n\(good)\n")
  }

  @Test func aTombstoneThatIsNoneIsPutAsideAndTheOthersStay() throws {
    let path = folder.path("store")
    let writer = try RecordLog.writer(path)
    var batch = CommitBatch(kind: .forget, at: RecordLog.now)
    var tombstones = Tombstones().lines(for: [Array("s1".utf8), Array("s2".utf8)], at: RecordLog.now)
    tombstones.append("{}".utf8, timestamp: RecordLog.now)
    batch.tombstones[RecordLog.now.day] = tombstones
    _ = try writer.commit(batch)
    _ = consume writer
    let place = "\(path)/forgotten/dt=\(RecordLog.now.day)/part-00000.ndjson.gz at byte 0, record 3"
    #expect(try RecordLog.findings(path) == ["\(place): it is not a tombstone"])
    #expect(try repair(path).logFiles.map(\.area) == [.forgotten])
    #expect(try RecordLog.findings(path) == [])
    #expect(try Tombstones(of: StoreReader.open(path)).count == 2)
  }

  @Test(arguments: [(damages: 3, isMended: true), (damages: 4, isMended: false)])
  func theLastRoundOfARepairIsCheckedLikeTheOthers(damages: Int, isMended: Bool) throws {
    let disk = DecayingDisk(folder, damages: damages)
    try disk.damage()
    let path = folder.path("store")
    if isMended {
      let summary = try repair(path, disk)
      #expect(summary.commits.count == damages + 1)
      #expect(summary.eventsAfter == (try StoreReader.open(path).eventCount))
      #expect(try RecordLog.findings(path) == [])
    } else {
      let message = "\(path) is still damaged after 4 repairs, check the disk and the memory"
      #expect(throws: FunnelError(.inputOutput, message)) { _ = try repair(path, disk) }
      #expect(try RecordLog.findings(path) != [])
    }
  }

  @Test func killedAtAnyPointARepairCanBeRunAgain() throws {
    let before = try StoreReader.open(folder.path("store"))
    let all = try lines(of: before) { _ in false }
    let part = try #require(before.logFiles(of: .log).first { $0.extents.count > 1 })
    var bytes = try folder.contents("store/\(part.name.path)")
    bytes[part.extents[1].extent.offset + 50] ^= 1
    try folder.write(bytes, to: "store/\(part.name.path)")
    var journal = try folder.contents("store/log/journal.ndjson")
    journal[journal.count / 2] ^= 1
    try folder.write(journal, to: "store/log/journal.ndjson")
    let counter = FaultyFileSystem()
    let whole = try folder.copy()
    _ = try repair(whole.path("store"), counter)
    let left = Set(try allLines(whole.path("store")))
    #expect(left.count < all.count)
    for call in RecordLog.sweep(counter.calls) {
      for fault in [FaultyFileSystem.Fault.killBefore(call: call), .killDuring(call: call), .failure(atCall: call)] {
        let copy = try folder.copy()
        let path = copy.path("store")
        _ = try? repair(path, FaultyFileSystem(fault))
        _ = try repair(path)
        #expect(Set(try allLines(path)) == left, "\(fault)")
        #expect(try RecordLog.findings(path) == [], "\(fault)")
      }
    }
  }
}

extension RepairTests {
  fileprivate func repair(_ path: String, _ fileSystem: any FileSystem) throws -> StoreRepair.Summary {
    try repair(path, isDryRun: false, fileSystem)
  }
}

/// A disk that damages the largest part of the log each time a repair removes a part that it replaced.
private final class DecayingDisk: FrontFileSystem {
  let disk = FaultyFileSystem()
  private let folder: TemporaryFolder
  private let left: Guarded<Int>

  init(_ folder: TemporaryFolder, damages: Int) {
    self.folder = folder
    left = Guarded(damages)
  }

  func remove(_ path: StoragePath) throws(FunnelError) {
    try disk.remove(path)
    let isDue = left.withLock { left in
      left -= 1
      return left >= 0
    }
    if isDue { try? damage() }
  }

  /// Changes a bit of the largest part.
  func damage() throws {
    let parts = try folder.files().filter { $0.hasPrefix("store/log/") && $0.hasSuffix(".gz") }
    var largest: (name: String, bytes: [UInt8]) = ("", [])
    for part in parts {
      let bytes = try folder.contents(part)
      if bytes.count > largest.bytes.count { largest = (part, bytes) }
    }
    largest.bytes[largest.bytes.count / 2] ^= 4
    try folder.write(largest.bytes, to: largest.name)
  }
}
