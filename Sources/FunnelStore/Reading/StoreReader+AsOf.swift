public import FunnelModel
import FunnelSystem

/// The store as it stood after a commit: the records that commits up to it brought, less those that were removed since.
struct PastView: Sendable {
  /// The last commit whose records are shown.
  let commit: Int
  /// The number of events shown.
  let eventCount: Int
  /// Whether records of the log are hidden.
  let hidesEvents: Bool

  init(upTo commit: Int, of coverage: Coverage) {
    var (shown, all) = (0, 0)
    for piece in coverage.parts(of: .log).flatMap(\.extents) {
      for run in piece.origins {
        all += run.records
        if run.commit <= commit { shown += run.records }
      }
    }
    (self.commit, eventCount, hidesEvents) = (commit, shown, shown < all)
  }
}

extension StoreReader {
  /// Returns a reader of the log as it stood after a commit, 0 being the store before its first. What was forgotten, undone or dropped since
  /// stays gone; areas other than the log are as they are now.
  public func asOf(commit: Int) -> StoreReader {
    StoreReader(files, journal, damage: damage, past: PastView(upTo: commit, of: journal.coverage))
  }

  /// Returns the number of the last commit that was made at or before a moment, 0 if none was.
  public func lastCommit(at moment: Timestamp) -> Int { commits.last { $0.at <= moment }?.number ?? 0 }

  /// The number of events that each commit brought and that are still there, by the number of the commit.
  public var eventsLeft: [Int: Int] {
    parts(of: .log).flatMap(\.extents).flatMap(\.origins).reduce(into: [:]) { $0[$1.commit, default: 0] += $1.records }
  }

  /// Whether the log is shown as it is now.
  public var isPresent: Bool { past.map { !$0.hidesEvents } ?? true }

  /// Returns the members of an area with the origins of their records.
  ///
  /// - Throws: `inputOutput` if a header is damaged or contradicts the journal.
  package func membersWithOrigins(
    of area: LogFileName.Area
  ) throws(FunnelError) -> [(member: MemberReference, origins: [RecordOrigin])] {
    var found: [(member: MemberReference, origins: [RecordOrigin])] = []
    for piece in parts(of: area).flatMap(\.extents) {
      var origins = piece.origins
      for member in try members(in: piece) { found.append((member, origins.takeFirst(member.header.lines))) }
    }
    return found
  }

  /// Returns the members of an extent that have records the view shows. Of those that have others too, it is remembered which are shown.
  func shown(_ members: [MemberReference], of piece: CoveredLogFile.Piece, in past: PastView) -> [MemberReference] {
    guard piece.extent.part.area == .log else { return members }
    let runs = piece.origins
    if runs.allSatisfy({ $0.commit <= past.commit }) { return members }
    // A tolerating reader may lack members of a damaged extent, whose records can't be told apart any more.
    guard members.reduce(0, { $0 + $1.header.lines }) == piece.extent.records else {
      return runs.contains { $0.commit <= past.commit } ? members : []
    }
    var origins = runs
    return members.filter { member in
      let own = origins.takeFirst(member.header.lines)
      guard own.contains(where: { $0.commit <= past.commit }) else { return false }
      if own.contains(where: { $0.commit > past.commit }) { partlyShown.insert(own, for: member) }
      return true
    }
  }

  /// Returns those of a member's lines that the view shows.
  func shownLines(_ lines: [UInt8], of member: MemberReference) -> [UInt8] {
    guard let past, let origins = partlyShown.origins(of: member), !lines.isEmpty else { return lines }
    var shown: [UInt8] = []
    for (line, commit) in zip(RecordLines(of: lines), origins.commits) where commit <= past.commit {
      shown += lines[line.whole]
    }
    return shown
  }
}
