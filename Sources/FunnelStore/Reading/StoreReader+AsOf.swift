package import FunnelModel
import FunnelSystem

/// The log as it was after a commit, without the records that were removed later.
struct PastView: Sendable {
  /// The last commit whose records are visible.
  let commit: Int
  /// The number of visible events.
  let eventCount: Int
  /// Whether later records of the log are hidden.
  let hidesEvents: Bool

  /// Creates the view of the records that commits up to `commit` brought.
  init(upTo commit: Int, of coverage: Coverage) {
    var visible = 0
    var total = 0
    for piece in coverage.logFiles(of: .log).flatMap(\.extents) {
      for origin in piece.origins {
        total += origin.records
        if origin.commit <= commit { visible += origin.records }
      }
    }
    self.commit = commit
    eventCount = visible
    hidesEvents = visible < total
  }
}

extension StoreReader {
  /// Returns a reader of the log as it was after a commit.
  ///
  /// Events that were forgotten, undone or dropped later are missing. The other areas are in their current state.
  ///
  /// - Parameter commit: The number of the commit, or 0 for the empty log before the first one.
  package func asOf(commit: Int) -> StoreReader {
    StoreReader(files, journal, damage: damage, past: PastView(upTo: commit, of: journal.coverage))
  }

  /// Returns the number of the last commit that was made at or before a time, or 0 if there is none.
  package func lastCommit(at moment: Timestamp) -> Int { commits.last { $0.at <= moment }?.number ?? 0 }

  /// The number of events of each commit that are still in the log, by the number of the commit that brought them.
  package var eventsLeft: [Int: Int] {
    logFiles(of: .log).flatMap(\.extents).flatMap(\.origins).reduce(into: [:]) { $0[$1.commit, default: 0] += $1.records }
  }

  /// Whether no events of the current log are hidden.
  package var isPresent: Bool { past.map { !$0.hidesEvents } ?? true }

  /// Returns the members of an area with the origins of their records.
  ///
  /// - Throws: `inputOutput` if a header is damaged or contradicts the journal.
  package func membersWithOrigins(
    of area: LogFileName.Area
  ) throws(FunnelError) -> [(member: MemberReference, origins: [RecordOrigin])] {
    var found: [(member: MemberReference, origins: [RecordOrigin])] = []
    for piece in logFiles(of: area).flatMap(\.extents) {
      var origins = piece.origins
      for member in try members(in: piece) { found.append((member, origins.takeFirst(member.header.lines))) }
    }
    return found
  }

  /// Returns the members of an extent that have visible records. Members that also have hidden records are added to
  /// ``partiallyVisible``.
  func visible(_ members: [MemberReference], of piece: CoveredLogFile.Piece, in past: PastView) -> [MemberReference] {
    guard piece.extent.logFile.area == .log else { return members }
    let sections = piece.origins
    if sections.allSatisfy({ $0.commit <= past.commit }) { return members }
    // A tolerating reader may lack members of a damaged extent. The origins can't be assigned to the other members then.
    guard members.reduce(0, { $0 + $1.header.lines }) == piece.extent.records else {
      return sections.contains { $0.commit <= past.commit } ? members : []
    }
    var origins = sections
    return members.filter { member in
      let own = origins.takeFirst(member.header.lines)
      guard own.contains(where: { $0.commit <= past.commit }) else { return false }
      if own.contains(where: { $0.commit > past.commit }) { partiallyVisible.insert(own, for: member) }
      return true
    }
  }

  /// Returns the visible lines of a member.
  func visibleLines(_ lines: [UInt8], of member: MemberReference) -> [UInt8] {
    guard let past, let origins = partiallyVisible.origins(of: member), !lines.isEmpty else { return lines }
    var visible: [UInt8] = []
    for (line, commit) in zip(RecordLines(of: lines), origins.commits) where commit <= past.commit {
      visible += lines[line.whole]
    }
    return visible
  }
}

/// The members of a past view that have both visible and hidden records, with the origins of their records. Thread-safe.
final class PartiallyVisibleMembers: Sendable {
  /// The location of a member.
  private struct Location: Hashable {
    let logFile: LogFileName
    let offset: Int
  }

  private let origins = Guarded<[Location: [RecordOrigin]]>([:])

  /// Stores the origins of a member's records.
  func insert(_ sections: [RecordOrigin], for member: MemberReference) {
    origins.withLock { $0[Location(logFile: member.logFile, offset: member.offset)] = sections }
  }

  /// Returns the origins of a member's records, or `nil` if all of its records are visible.
  func origins(of member: MemberReference) -> [RecordOrigin]? {
    origins.withLock { $0[Location(logFile: member.logFile, offset: member.offset)] }
  }
}
