import FunnelDecoding
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct CompactionTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }
  /// The days before this one are compacted.
  private let end = CivilDate(daysSinceEpoch: RecordLog.now.day.daysSinceEpoch - 1)

  init() throws {
    folder = try TemporaryFolder()
    try RecordLog.fill(folder.path("store"), commits: 0..<40, seed: 1)
  }

  private func compact(
    _ path: String, threads: Int = 1, _ fileSystem: any FileSystem = FaultyFileSystem()
  ) throws -> StoreCompaction.Summary {
    try StoreCompaction.run(
      on: RecordLog.writer(path, threads: threads, fileSystem), before: end, at: RecordLog.now,
      checker: StoredRecordChecker())
  }

  /// Returns the bytes of the parts of the days in a range, by path.
  private func parts(before end: CivilDate? = nil, from start: CivilDate? = nil) throws -> [String: [UInt8]] {
    let names = try StoreReader.open(store).logFiles(of: .log).map(\.name).filter {
      $0.day < (end ?? CivilDate(daysSinceEpoch: .max)) && $0.day >= (start ?? CivilDate(daysSinceEpoch: .min))
    }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0.path, try folder.contents("store/\($0.path)")) })
  }

  @Test(arguments: [1, 3])
  func theSameRecordsStandInTheSameOrderInFewerFullMembers(threads: Int) throws {
    let before = try StoreReader.open(store)
    let (lines, letters) = (try RecordLog.lines(before), try RecordLog.lines(before, .rejected))
    let young = try parts(from: end)
    let preview = try StoreCompaction.preview(of: before, before: end)
    let summary = try compact(store, threads: threads)

    #expect(try RecordLog.lines(store) == lines)
    #expect(try RecordLog.lines(store, .rejected) == letters)
    #expect(try RecordLog.findings(store) == [])
    #expect(try parts(from: end) == young && !young.isEmpty)
    #expect(summary.commits == [41] && summary.days.count >= 3 && summary.compactDays == 0)
    #expect(preview.days.map(\.membersBefore) == summary.days.map(\.membersBefore))
    #expect(preview.days.allSatisfy { $0.membersAfter == nil } && preview.commits.isEmpty)
    let after = try StoreReader.open(store)
    for day in summary.days {
      let members = try after.members().filter { $0.logFile.day == day.day }
      #expect(day.membersAfter == members.count && day.membersBefore > 2 * members.count)
      // A member is full if the next record would not have fitted.
      #expect(members.dropLast().allSatisfy { $0.header.rawBytes <= 1000 && $0.header.rawBytes > 850 })
      #expect(day.bytesAfter == after.logFiles(of: .log).filter { $0.name.day == day.day }.reduce(0) { $0 + $1.bytes })
      #expect((day.bytesAfter ?? .max) < day.bytesBefore)
    }
    let commit = try #require(after.commits.last)
    #expect(commit.kind == .compact && commit.keepsEvents && commit.events == lines.count { $0 < "\(end)" })
  }

  @Test func aCompactDayIsLeftAloneUntilMoreIsIngestedThenItsFullMembersAreKept() throws {
    _ = try compact(store)
    let files = try parts()
    let again = try compact(store)
    #expect(again.days.isEmpty && again.commits.isEmpty && again.compactDays >= 3)
    #expect(try parts() == files)
    let full = try StoreReader.open(store).members().filter { $0.logFile.day < end && $0.header.rawBytes > 850 }
    let kept = try full.map { try member($0) }
    try RecordLog.fill(store, commits: 40..<52, seed: 1)
    let lines = try RecordLog.lines(store)
    let summary = try compact(store, threads: 2)
    #expect(summary.commits.count == 1)
    #expect(try RecordLog.lines(store) == lines)
    #expect(try RecordLog.findings(store) == [])
    let found = try StoreReader.open(store).members().map { try member($0) }
    #expect(kept.count > 3 && kept.allSatisfy(found.contains))
    #expect(try compact(store).days.isEmpty)
  }

  private func member(_ reference: MemberReference) throws -> [UInt8] {
    let part = try folder.contents("store/\(reference.logFile.path)")
    return Array(part[reference.offset..<(reference.offset + reference.header.memberBytes)])
  }

  @Test func whatIsDamagedIsNotCompacted() throws {
    let reader = try StoreReader.open(store)
    let member = try #require(try reader.members().first { $0.logFile.day < end && $0.offset > 0 })
    var bytes = try folder.contents("store/\(member.logFile.path)")
    // The changed byte is in the header's times, which only the journal's hash covers.
    bytes[member.offset + 32] ^= 1
    try folder.write(bytes, to: "store/\(member.logFile.path)")
    let files = try parts()
    #expect {
      _ = try compact(store)
    } throws: { error in
      (error as? FunnelError)?.code == .inputOutput && (error as? FunnelError)?.message.contains("is damaged at byte") == true
    }
    #expect(try parts() == files)
    #expect(try StoreReader.open(store).commits.count == 40)
  }

  @Test func aDiskThatDoesNotKeepWhatWasWrittenIsFoundOutBeforeTheSwitch() throws {
    let (files, lines) = (try parts(), try RecordLog.lines(store))
    // The changed byte is in the deflate stream of one new member, and the file system reports no error.
    for write in 1...3 {
      let disk = LyingFileSystem(changingWrite: write)
      #expect(throws: FunnelError.self, "write \(write)") { try compact(store, disk) }
      #expect(disk.hasLied)
      #expect(try parts() == files && RecordLog.lines(store) == lines, "write \(write)")
    }
    _ = try compact(store, LyingFileSystem(changingWrite: .max))
    #expect(try RecordLog.lines(store) == lines)
  }

  @Test func killedAtAnyPointTheLogIsTheSameBeforeAndAfterTheNextWriter() throws {
    let lines = try RecordLog.lines(store)
    let counter = FaultyFileSystem()
    let whole = try folder.copy()
    _ = try compact(whole.path("store"), counter)
    for call in RecordLog.sweep(counter.calls) {
      for fault in [FaultyFileSystem.Fault.killBefore(call: call), .killDuring(call: call), .failure(atCall: call)] {
        let copy = try folder.copy()
        let path = copy.path("store")
        _ = try? compact(path, FaultyFileSystem(fault))
        #expect(try RecordLog.lines(path) == lines, "\(fault)")
        _ = try RecordLog.writer(path)
        #expect(try RecordLog.lines(path) == lines, "\(fault)")
        #expect(try RecordLog.findings(path) == [], "\(fault)")
        #expect([40, 41].contains(try StoreReader.open(path).commits.count), "\(fault)")
      }
    }
  }
}
