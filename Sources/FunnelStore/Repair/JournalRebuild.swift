import Crypto
import FunnelModel
import FunnelSystem

/// Makes a journal of one that is damaged, lacks commits, or is lost, and of the parts themselves.
///
/// The lines in front of the damage stay as they are, with their chain. One commit of kind `repair` follows: it covers, in every part, what
/// lies behind the bytes those lines cover, up to the end of the last sound member; members say themselves how long they are, and what
/// they hold is checksummed. Lines behind the damage are believed only where they say that a part was removed: what was taken away, perhaps
/// because somebody asked to be forgotten, must not come back.
///
/// A journal that lacks commits is one whose lines all stand in front of the damage, as long as the parts are what they say. If one is not,
/// because lines that are gone removed it or because the journal is that of another store, no line is believed, and one commit covers all.
///
/// **Known downsides.** Members of a commit that was never finished are kept, as nothing tells them from others. What the damaged line
/// itself removed comes back if the command that wrote it was killed before it unlinked the parts; if it did unlink them they are missed.
/// So does what was removed by lines that are gone, or that are not believed, where the parts were not unlinked.
struct JournalRebuild {
  /// What is to be written.
  struct Plan {
    /// The new journal, and its bytes.
    var journal: Journal
    var bytes: [UInt8]
    /// What no member can be made of, behind the last sound one of a part.
    var asides: [DamagedFolder.Piece] = []
  }

  let files: StoreFiles
  /// The lines in front of the damage.
  let journal: Journal
  /// The whole journal as it stands.
  let contents: [UInt8]

  private static let chunkBytes = 1 << 20

  /// Looks at every part.
  func plan(at now: Timestamp) throws(FunnelError) -> Plan {
    let removedBefore = Set(journal.commits.flatMap(\.removed))
    let removedLater = removedLater()
    var asides: [DamagedFolder.Piece] = []
    var appended: [Extent] = []
    var timestamps: ClosedRange<Timestamp>?
    for part in try files.presentParts().sorted() where !removedBefore.contains(part) && !removedLater.contains(part) {
      let covered = journal.coverage.bytes(of: part)
      guard let status = try files.fileSystem.status(of: files.path(of: part)), status.kind == .file, status.size > covered
      else { continue }
      let file = try files.fileSystem.open(files.path(of: part), for: .read)
      let scan = try MemberScan(
        searching: covered..<status.size, of: part, commit: journal.commits.count + 1, in: file, files.fileSystem)
      let end = scan.members.last.map { $0.offset + $0.header.memberBytes } ?? covered
      if end > covered { appended.append(try extent(of: part, covered..<end, scan, in: file)) }
      if let gap = scan.gaps.last, gap.range.upperBound == status.size {
        asides.append(.init(part: part, offset: gap.range.lowerBound, content: .bytes(gap.range), reason: gap.reason))
      }
      guard part.area == .log else { continue }
      for header in scan.members.map(\.header) {
        let (first, last) = (header.timestamps.lowerBound, header.timestamps.upperBound)
        timestamps = min(timestamps?.lowerBound ?? first, first)...max(timestamps?.upperBound ?? last, last)
      }
    }
    return try plan(appended, removedLater, timestamps, asides, at: now)
  }

  private func plan(
    _ appended: [Extent], _ removedLater: Set<PartName>, _ timestamps: ClosedRange<Timestamp>?,
    _ asides: [DamagedFolder.Piece], at now: Timestamp
  ) throws(FunnelError) -> Plan {
    let (line, commit) = JournalLine.format(
      Commit(
        number: journal.commits.count + 1, kind: StoreRepair.kind, at: now, timestamps: timestamps, appended: appended,
        removed: removedLater.filter { journal.coverage.parts[$0] != nil }.sorted(), previousHash: journal.lastHash, hash: ""))
    var next = journal.withoutDamage
    do throws(JournalLine.Mistake) {
      try next.append(commit, bytes: line.count + 1)
    } catch {
      throw FunnelError(.inputOutput, "no journal can be made for \(files.root): \(error.reason), restore it from a backup")
    }
    return Plan(
      journal: next, bytes: contents.prefix(journal.bytes) + line + [UInt8(ascii: "\n")], asides: asides)
  }

  /// The parts that lines behind the damage took away.
  private func removedLater() -> Set<PartName> {
    var removed: Set<PartName> = []
    var rest = contents[journal.bytes...]
    while let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      if let commit = try? JournalLine.parse(rest[..<lineFeed]) { removed.formUnion(commit.removed) }
      rest = rest[(lineFeed + 1)...]
    }
    return removed
  }

  private func extent(
    of part: PartName, _ range: Range<Int>, _ scan: MemberScan, in file: File
  ) throws(FunnelError) -> Extent {
    var digest = SHA256()
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkBytes) {
      let count = min(Self.chunkBytes, range.upperBound - offset)
      digest.update(data: try files.fileSystem.read(file, at: offset, count: count))
    }
    return Extent(
      part: part, offset: range.lowerBound, bytes: range.count, rawBytes: scan.members.reduce(0) { $0 + $1.header.rawBytes },
      records: scan.members.reduce(0) { $0 + $1.header.lines }, sha256: digest.finalize().hexadecimal)
  }
}
