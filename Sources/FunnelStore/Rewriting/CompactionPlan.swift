import FunnelModel

/// The log files that a compaction rewrites, by day.
struct CompactionPlan: Sendable {
  /// A day to be compacted.
  struct Day: Sendable {
    let day: CivilDate
    /// The log files to be rewritten: the first one that is not compact, and all later ones of the day, so that the
    /// order is kept.
    let logFiles: [CoveredLogFile]
    /// The number of gzip members in these log files.
    let members: Int
    /// The size of these log files, in bytes.
    let bytes: Int
  }

  /// The days to be compacted.
  private(set) var days: [Day] = []
  /// The number of days that are compact already.
  private(set) var compactDays = 0

  /// Plans the compaction of the days before `end`. Only headers are read.
  ///
  /// A day is compact if all of its extents were written by compactions.
  ///
  /// - Throws: `inputOutput` if a header is damaged.
  init(of store: StoreReader, before end: CivilDate) throws(FunnelError) {
    let days = Dictionary(grouping: store.logFiles(of: .log).filter { $0.name.day < end }, by: \.name.day)
    for (day, logFiles) in days.sorted(by: { $0.key < $1.key }) {
      guard let first = logFiles.firstIndex(where: { !$0.extents.allSatisfy(store.isCompacted) }) else {
        compactDays += 1
        continue
      }
      let changing = Array(logFiles[first...])
      var members = 0
      for logFile in changing {
        for piece in logFile.extents { members += try store.members(in: piece).count }
      }
      self.days.append(Day(day: day, logFiles: changing, members: members, bytes: changing.reduce(0) { $0 + $1.bytes }))
    }
  }
}

extension StoreReader {
  /// Returns whether an extent was written by a compaction.
  func isCompacted(_ piece: CoveredLogFile.Piece) -> Bool { commits[piece.commit - 1].kind == .compact }
}
