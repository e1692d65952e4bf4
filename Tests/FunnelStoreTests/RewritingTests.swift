import Foundation
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct RewritingTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    for number in 1...4 { _ = try writer.commit(StoreScenario.batch(number, events: 20)) }
  }

  @Test(arguments: [1, 3])
  func whatIsKeptIsCopiedByteByByteAndTheRestIsReplacedOrGone(threads: Int) throws {
    let writer = try StoreScenario.writer(store, options: StoreScenario.options(threads: threads))
    let before = writer.reader
    let members = try members(before)
    let batch = RewriteScenario.batch(of: before)
    let commit = try RewriteScenario.rewrite(writer, batch)
    #expect(commit.kind == .forget && commit.removed == batch.removed && commit.number == 5)

    let found = try self.members(writer.reader)
    let kept = members.filter { RewriteScenario.fate(of: $0.lines) == .kept }.map(\.bytes)
    #expect(!kept.isEmpty && kept.count < members.count)
    #expect(found.map(\.bytes).filter(kept.contains) == kept)
    #expect(found.flatMap(\.lines) == members.flatMap { RewriteScenario.rewritten($0.lines) })
    #expect(commit.events == found.flatMap(\.lines).count && writer.reader.eventCount == commit.events)
    #expect(found.map(\.logFile).allSatisfy { !batch.removed.contains($0) })
    #expect(try folder.files().filter { $0.hasPrefix("store/log/dt=") }.count == writer.reader.logFiles(of: .log).count)
    #expect(try StoreVerification.run(store) == [])
    #expect(try StoreReader.open(store).commits == writer.reader.commits)
  }

  @Test func numbersOfPartsAreNotUsedAgainAndPartsStayBelowTheirSize() throws {
    let writer = try StoreScenario.writer(store)
    let names = Set(writer.reader.logFiles(of: .log).map(\.name))
    _ = try RewriteScenario.rewrite(writer, RewriteScenario.batch(of: writer.reader))
    let parts = writer.reader.logFiles(of: .log)
    #expect(names.isDisjoint(with: parts.map(\.name)) && parts.count > 2)
    #expect(parts.allSatisfy { $0.extents.count == 1 && $0.bytes < 1400 })
    // A further commit keeps the store sound.
    _ = try writer.commit(StoreScenario.batch(5))
    #expect(try StoreVerification.run(store) == [])
  }

  @Test func otherRecordsMayFollowInTheSameCommit() throws {
    let writer = try StoreScenario.writer(store)
    var batch = RewriteScenario.batch(of: writer.reader)
    batch.tombstones[StoreScenario.now.day, default: RecordBatch()].append("{}".utf8, timestamp: StoreScenario.now)
    batch.events = StoreScenario.batch(6).events
    let commit = try RewriteScenario.rewrite(writer, batch)
    #expect(try StoreScenario.lines(store, .forgotten) == ["{}"])
    #expect(commit.appended.last?.logFile.path == "forgotten/dt=2026-11-21/part-00000.ndjson.gz")
    let lines = try StoreScenario.lines(store)
    #expect(StoreScenario.lines(of: [StoreScenario.batch(6)]).allSatisfy(lines.contains))
    #expect(commit.events == lines.count)
    #expect(try StoreVerification.run(store) == [])
  }

  @Test func aReaderThatHasFoundItsMembersReadsThemWhateverBecomesOfTheParts() throws {
    let before = try StoreScenario.lines(store)
    let reader = try StoreReader.open(store)
    let members = try reader.members()
    let writer = try StoreScenario.writer(store)
    _ = try RewriteScenario.rewrite(writer, RewriteScenario.batch(of: writer.reader))
    let lines = try members.flatMap { try self.lines($0, reader).map(String.init) }
    #expect(lines == before)
    #expect(try StoreScenario.lines(StoreReader.open(store)) == StoreScenario.lines(writer.reader))
    // A reader that finds its parts removed before it knows their members throws an error that says what to do.
    let late = try StoreReader.open(store)
    var batch = CommitBatch(kind: .retain, at: StoreScenario.now)
    batch.removed = writer.reader.logFiles(of: .log).map(\.name)
    _ = try writer.rewrite(batch) { _ in }
    #expect {
      try late.members()
    } throws: { error in
      (error as? FunnelError)?.message.hasSuffix(" is gone, another command may have replaced it, run this command again")
        == true
    }
  }

  @Test func withNothingKeptThePartsAndTheFoldersOfTheirDaysAreGone() throws {
    let writer = try StoreScenario.writer(store)
    var batch = CommitBatch(kind: .retain, at: StoreScenario.now)
    batch.removed = writer.reader.logFiles(of: .log).map(\.name)
    let commit = try writer.rewrite(batch) { _ in }
    #expect(commit.timestamps == nil && commit.appended.isEmpty && writer.reader.eventCount == 0)
    #expect(try folder.files().filter { $0.contains("log/dt=") }.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("store/log")).sorted()
        == ["journal.head", "journal.ndjson"])
    #expect(try StoreVerification.run(store) == [])
  }

  @Test func linesCanBeCompressedHarderThanTheWriterDoes() throws {
    let writer = try StoreScenario.writer(store, options: .init())
    let before = try StoreScenario.lines(store)
    var sizes: [Int] = []
    for compression in [nil, Deflater.Method.zlib(level: 9)] {
      var batch = CommitBatch(kind: .compact, at: StoreScenario.now)
      batch.removed = writer.reader.logFiles(of: .log).map(\.name)
      let source = writer.reader
      let days = Dictionary(grouping: try source.members(), by: \.logFile.day).sorted { $0.key < $1.key }
      _ = try writer.rewrite(batch, compression: compression) { (rewriting) throws(FunnelError) in
        for (day, members) in days {
          var lines = RecordBatch()
          for member in members {
            let bytes = try source.read(member)
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
              lines.append(line, timestamp: member.header.timestamps.lowerBound)
            }
          }
          try rewriting.append(lines, .log, day, from: [RecordOrigin(commit: 1, records: lines.count)])
        }
      }
      sizes.append(writer.reader.logFiles(of: .log).reduce(0) { $0 + $1.bytes })
      #expect(try StoreScenario.lines(writer.reader) == before)
      #expect(try writer.reader.members().count == days.count)
    }
    #expect(sizes[1] < sizes[0])
  }

  @Test func aCheckSeesBothStoresAndCanStopTheCommit() throws {
    let writer = try StoreScenario.writer(store)
    let files = try folder.files()
    let before = try StoreScenario.lines(store)
    let error = FunnelError(.inputOutput, "what was written is not what was read")
    let check = { (old: StoreReader, new: StoreReader) throws(FunnelError) in
      let read = try old.members().map { (member) throws(FunnelError) in try old.read(member).count }
      let written = try new.members().map { (member) throws(FunnelError) in try new.read(member).count }
      #expect(read.reduce(0, +) > written.reduce(0, +))
      #expect(new.commits.count == old.commits.count + 1)
      throw error
    }
    #expect(throws: error) { try RewriteScenario.rewrite(writer, RewriteScenario.batch(of: writer.reader), check: check) }
    #expect(try folder.files() == files)
    #expect(try StoreScenario.lines(store) == before)
  }

  @Test func aDamagedPartIsNotCopiedAsIfItWereWhole() throws {
    let reader = try StoreReader.open(store)
    let member = try #require(try reader.members().first { RewriteScenario.fate(of: try lines($0, reader)) == .kept })
    var bytes = try folder.contents("store/\(member.logFile.path)")
    bytes[member.offset + member.header.memberBytes - 1] ^= 1
    try folder.write(bytes, to: "store/\(member.logFile.path)")
    let batch = RewriteScenario.batch(of: reader)
    let path = folder.path("store/\(member.logFile.path)")
    #expect {
      _ = try StoreScenario.writer(store).rewrite(batch) { (rewriting) throws(FunnelError) in
        for part in batch.removed { try rewriting.copy(part) { _ in .keep } }
      }
    } throws: { error in
      guard let error = error as? FunnelError, error.code == .inputOutput else { return false }
      return error.message.hasPrefix("\(path) is damaged at byte ")
        && error.message.contains(": its hash does not match the journal, ")
    }
    // A caller may keep just the members that can still be read.
    let again = try StoreScenario.writer(store)
    let sound = try again.reader.members().filter { $0 != member }
    _ = try again.rewrite(batch) { (rewriting) throws(FunnelError) in try rewriting.keep(sound, from: 1) }
    #expect(try StoreVerification.run(store) == [])
    #expect(again.reader.eventCount == 80 - member.header.lines)
  }

  @Test func aWriterFlushesTheNamesThatTheCommitBeforeTookAway() throws {
    /// A disk that records the folders that are flushed.
    final class FlushRecorder: FrontFileSystem {
      let disk = LocalFileSystem()
      let folders = Guarded<Set<String>>([])

      func syncDirectory(_ path: StoragePath) throws(FunnelError) {
        try disk.syncDirectory(path)
        folders.withLock { _ = $0.insert(path.inside) }
      }
    }
    let before = FlushRecorder()
    _ = try StoreScenario.writer(store, before)
    #expect(before.folders.withLock { $0 } == ["log"])
    let writer = try StoreScenario.writer(store)
    _ = try RewriteScenario.rewrite(writer, RewriteScenario.batch(of: writer.reader))
    _ = consume writer
    // The previous command may have been killed, or may have failed, before it flushed the removals, so the next writer flushes
    // them.
    let after = FlushRecorder()
    _ = try StoreScenario.writer(store, after)
    #expect(after.folders.withLock { $0 } == ["log", "log/dt=2026-11-20", "log/dt=2026-11-21"])
  }

  private func lines(_ member: MemberReference, _ reader: StoreReader) throws -> [Substring] {
    String(decoding: try reader.read(member), as: UTF8.self).split(separator: "\n")
  }

  private struct Member {
    var logFile: LogFileName
    var bytes: [UInt8]
    var lines: [Substring]
  }

  /// Returns the members of the log by day, and within a day in the order of its parts.
  private func members(_ reader: StoreReader) throws -> [Member] {
    try reader.members().map { member in
      let file = try folder.contents("store/\(member.logFile.path)")
      return Member(
        logFile: member.logFile, bytes: Array(file[member.offset..<(member.offset + member.header.memberBytes)]),
        lines: try lines(member, reader))
    }
  }
}

/// A rewrite of the whole log that keeps some members, drops some, and takes lines out of others.
enum RewriteScenario {
  enum Fate { case kept, dropped, thinned }

  static func batch(of reader: StoreReader) -> CommitBatch {
    var batch = CommitBatch(kind: .forget, at: StoreScenario.now)
    batch.removed = reader.logFiles(of: .log).map(\.name)
    return batch
  }

  static func fate(of lines: [Substring]) -> Fate {
    if lines.contains(where: { $0.contains("\"s2-") }) { return .thinned }
    return lines.contains { $0.contains("\"s3-") } ? .dropped : .kept
  }

  static func rewritten(_ lines: [Substring]) -> [Substring] {
    switch fate(of: lines) {
    case .kept: lines
    case .dropped: []
    case .thinned: lines.filter { !$0.hasSuffix("5\"}") }
    }
  }

  @discardableResult
  static func rewrite(
    _ writer: StoreWriter, _ batch: CommitBatch,
    check: (StoreReader, StoreReader) throws(FunnelError) -> Void = { _, _ in }
  ) throws(FunnelError) -> Commit {
    try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      for part in batch.removed {
        try rewriting.copy(part) { (member) throws(FunnelError) in
          let text = String(decoding: try member.lines(), as: UTF8.self)
          let lines = text.split(separator: "\n")
          switch fate(of: lines) {
          case .kept: return .keep
          case .dropped: return .drop
          case .thinned:
            var batch = RecordBatch()
            for line in rewritten(lines) { batch.append(line.utf8, timestamp: member.reference.header.timestamps.lowerBound) }
            return .replace(batch)
          }
        }
      }
    }
  }
}
