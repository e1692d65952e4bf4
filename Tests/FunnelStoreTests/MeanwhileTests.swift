import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Another command commits while a store is opened, read or verified.
@Suite struct MeanwhileTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }
  private static let batches = (1...3).map { StoreScenario.batch($0) }

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    for batch in Self.batches { _ = try writer.commit(batch) }
  }

  /// Rewrites all parts of the log, as another command may, and keeps every line except those of damaged members.
  private static func renewLog(_ path: String) throws {
    let writer = try StoreScenario.writer(path)
    let source = writer.reader.tolerating()
    var batch = CommitBatch(kind: .compact, at: StoreScenario.now)
    batch.removed = writer.reader.logFiles(of: .log).map(\.name)
    _ = try writer.rewrite(batch) { (rewriting) throws(FunnelError) in
      for member in try source.members() {
        var lines = RecordBatch()
        for line in try source.read(member).split(separator: UInt8(ascii: "\n")) {
          lines.append(line, timestamp: member.header.timestamps.lowerBound)
        }
        try rewriting.append(lines, .log, member.logFile.day, from: [RecordOrigin(commit: 1, records: lines.count)])
      }
    }
  }

  /// Returns a disk on which all parts of the log are rewritten immediately before a file is accessed.
  private func disk(renewingBefore suffix: String, touch: Int = 1) -> MeanwhileFileSystem {
    let store = store
    return MeanwhileFileSystem(touch: touch, of: suffix) { try Self.renewLog(store) }
  }

  private func expectHappened(_ disk: MeanwhileFileSystem) {
    #expect(disk.hasHappened && disk.failure == nil, "\(disk.failure ?? "nothing happened")")
  }

  @Test func `a reader whose parts are replaced while it opens the store sees the new ones`() throws {
    let disk = disk(renewingBefore: ".ndjson.gz")
    let reader = try StoreReader.open(store, fileSystem: disk)
    expectHappened(disk)
    #expect(reader.commits.count == 4)
    #expect(try StoreScenario.lines(reader).sorted() == StoreScenario.lines(of: Self.batches))
  }

  @Test func `a reader that tolerates damage takes no part for lost that was replaced`() throws {
    let disk = disk(renewingBefore: ".ndjson.gz")
    let reader = try StoreReader.openTolerating(store, fileSystem: disk)
    expectHappened(disk)
    #expect(reader.commits.count == 4 && reader.damage?.entries == [])
    #expect(try StoreScenario.lines(reader).sorted() == StoreScenario.lines(of: Self.batches))
  }

  @Test(arguments: [false, true])
  func `a reader that comes too late is told to run again, and notes no damage`(isTolerating: Bool) throws {
    let reader = isTolerating ? try StoreReader.openTolerating(store) : try StoreReader.open(store)
    try Self.renewLog(store)
    #expect {
      try reader.members()
    } throws: { error in
      (error as? FunnelError)?.message.hasSuffix(" is gone, another command may have replaced it, run this command again")
        == true
    }
    #expect(reader.damage?.entries ?? [] == [])
  }

  @Test func `a part that is shortened under a reader loses what it lost, and no more`() throws {
    let reader = try StoreReader.openTolerating(store)
    let members = try reader.members()
    let last = try #require(members.last { $0.logFile == members[0].logFile })
    let name = "store/\(last.logFile.path)"
    // The file is truncated in place because the reader has it open.
    let disk = LocalFileSystem()
    try disk.truncate(disk.open(StoragePath(folder.path(name)), for: .update), to: last.offset + 20)
    let lines = try StoreScenario.lines(reader)
    #expect(lines.count == 36 - last.header.lines)
    #expect(reader.damage?.entries.map(\.path) == [last.logFile.path])
    #expect(reader.damage?.entries.map(\.events) == [last.header.lines])
  }

  @Test(arguments: 1...3)
  func `a verification beside a command that replaces the parts verifies the new ones`(touch: Int) throws {
    let disk = disk(renewingBefore: ".ndjson.gz", touch: touch)
    #expect(try StoreVerification.run(store, fileSystem: disk) == [])
    expectHappened(disk)
  }

  @Test func `what a verification finds in a part that is replaced before it ends is said of nobody`() throws {
    let reader = try StoreReader.open(store)
    let part = try #require(reader.logFiles(of: .log).first).name
    var bytes = try folder.contents("store/\(part.path)")
    bytes[bytes.count - 6] ^= 1
    try folder.write(bytes, to: "store/\(part.path)")
    #expect(try StoreVerification.run(store).map(\.path) == [folder.path("store/\(part.path)")])
    // A verification accesses the journal as an opening of the store does, and once more at its end.
    let counter = MeanwhileFileSystem(touch: .max, of: "journal.ndjson") {}
    _ = try StoreReader.open(store, fileSystem: counter)
    let disk = disk(renewingBefore: "journal.ndjson", touch: counter.touches + 1)
    #expect(try StoreVerification.run(store, fileSystem: disk) == [])
    expectHappened(disk)
    #expect(try StoreVerification.run(store) == [])
  }
}
