import FunnelModel
import FunnelSystem

/// Builds a new journal from the log files and from an old journal that is damaged, lacks commits, or is lost.
///
/// The lines before the damage are kept. One commit of kind `repair` follows: in every log file it covers the bytes
/// after those that the lines cover, up to the end of the last intact member. Of the lines after the damage, only
/// the removals of log files are applied: removed data, perhaps of a forgotten subject, must not come back.
///
/// If a journal lacks commits, all of its lines are intact. They are kept if the log files agree with them.
/// Otherwise, because lost lines removed a log file or because the journal is that of another store, no line is
/// kept, and one commit covers everything.
///
/// **Known downsides.** Members of an unfinished commit are kept, because they can't be distinguished from others.
/// Log files that the damaged line removed come back if the command that wrote it was killed before it unlinked
/// them; if it did unlink them, they are reported as missing. Log files removed by lines that are lost, or not
/// kept, come back as well if they were not unlinked.
struct JournalRebuild {
  /// The new journal, and the data to be moved to ``DamagedFolder``.
  struct Plan {
    /// The new journal.
    var journal: Journal
    /// The encoded lines of the new journal.
    var bytes: [UInt8]
    /// The bytes after the last intact member of each log file.
    var asides: [DamagedFolder.Piece] = []
  }

  let files: StoreFiles
  /// The old journal up to its damage.
  let journal: Journal
  /// The bytes of the whole old journal.
  let contents: [UInt8]

  /// Plans the new journal. Reads every log file, and writes nothing.
  func plan(at now: Timestamp) throws(FunnelError) -> Plan {
    let removedBefore = Set(journal.commits.flatMap(\.removed))
    let removedLater = removedLater()
    var asides: [DamagedFolder.Piece] = []
    var appended: [Extent] = []
    var timestamps: ClosedRange<Timestamp>?
    for logFile in try files.presentLogFiles().sorted()
    where !removedBefore.contains(logFile) && !removedLater.contains(logFile) {
      let covered = journal.coverage.bytes(of: logFile)
      guard let status = try files.fileSystem.status(of: files.path(of: logFile)), status.kind == .file, status.size > covered
      else { continue }
      let file = try files.fileSystem.open(files.path(of: logFile), for: .read)
      let scan = try MemberScan(
        searching: covered..<status.size, of: logFile, commit: journal.commits.count + 1, in: file, files.fileSystem)
      let end = scan.members.last.map { $0.offset + $0.header.memberBytes } ?? covered
      if end > covered { appended.append(try extent(of: logFile, covered..<end, scan, in: file)) }
      if let gap = scan.gaps.last, gap.range.upperBound == status.size {
        asides.append(.init(logFile: logFile, offset: gap.range.lowerBound, content: .bytes(gap.range), reason: gap.reason))
      }
      guard logFile.area == .log else { continue }
      for header in scan.members.map(\.header) {
        let (first, last) = (header.timestamps.lowerBound, header.timestamps.upperBound)
        timestamps = min(timestamps?.lowerBound ?? first, first)...max(timestamps?.upperBound ?? last, last)
      }
    }
    return try plan(appended, removedLater, timestamps, asides, at: now)
  }

  private func plan(
    _ appended: [Extent], _ removedLater: Set<LogFileName>, _ timestamps: ClosedRange<Timestamp>?,
    _ asides: [DamagedFolder.Piece], at now: Timestamp
  ) throws(FunnelError) -> Plan {
    let (line, commit) = JournalLine.format(
      Commit(
        number: journal.commits.count + 1, kind: .repair, at: now, timestamps: timestamps, appended: appended,
        removed: removedLater.filter { journal.coverage.logFiles[$0] != nil }.sorted(), previousHash: journal.lastHash, hash: ""
      ))
    var next = journal.withoutDamage
    do throws(JournalLine.Mistake) {
      try next.append(commit, bytes: line.count + 1)
    } catch {
      throw FunnelError(.inputOutput, "no journal can be made for \(files.root): \(error.reason), restore it from a backup")
    }
    return Plan(
      journal: next, bytes: contents.prefix(journal.bytes) + line + [UInt8(ascii: "\n")], asides: asides)
  }

  /// Returns the log files that were removed by intact lines after the damage.
  private func removedLater() -> Set<LogFileName> {
    var removed: Set<LogFileName> = []
    var remainder = contents[journal.bytes...]
    while let lineFeed = remainder.firstIndex(of: UInt8(ascii: "\n")) {
      if let commit = try? JournalLine.parse(remainder[..<lineFeed]) { removed.formUnion(commit.removed) }
      remainder = remainder[(lineFeed + 1)...]
    }
    return removed
  }

  /// Returns the extent of a repair commit for a range of a log file.
  private func extent(
    of logFile: LogFileName, _ range: Range<Int>, _ scan: MemberScan, in file: File
  ) throws(FunnelError) -> Extent {
    var extent = Extent(
      logFile: logFile, offset: range.lowerBound, bytes: range.count,
      rawBytes: scan.members.reduce(0) { $0 + $1.header.rawBytes },
      records: scan.members.reduce(0) { $0 + $1.header.lines }, sha256: "")
    extent.sha256 = try files.sha256(of: extent, in: file)
    return extent
  }
}
