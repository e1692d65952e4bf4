import FunnelModel

/// The log files that a compaction rewrites, by day.
struct CompactionPlan: Sendable {
  /// A day to be compacted.
  struct Day: Sendable {
    var day: CivilDate
    /// The log files to be rewritten: the first one that is not compact, and all later ones of the day, so that the
    /// order is kept.
    var parts: [CoveredLogFile]
    /// The number of gzip members in these log files.
    var members: Int
    /// The size of these log files, in bytes.
    var bytes: Int
  }

  /// The days to be compacted.
  var days: [Day] = []
  /// The number of days that are compact already.
  var compactDays = 0

  /// The kind of the commits that a compaction makes.
  static let kind = "compact"

  /// Plans the compaction of the days before `end`. Only headers are read.
  ///
  /// A day is compact if all of its extents were written by compactions.
  ///
  /// - Throws: `inputOutput` if a header is damaged.
  init(of store: StoreReader, before end: CivilDate) throws(FunnelError) {
    let days = Dictionary(grouping: store.parts(of: .log).filter { $0.name.day < end }, by: \.name.day)
    for (day, parts) in days.sorted(by: { $0.key < $1.key }) {
      guard let first = parts.firstIndex(where: { !$0.extents.allSatisfy(store.isCompacted) }) else {
        compactDays += 1
        continue
      }
      let changing = Array(parts[first...])
      var members = 0
      for part in changing {
        for piece in part.extents { members += try store.members(in: piece).count }
      }
      self.days.append(Day(day: day, parts: changing, members: members, bytes: changing.reduce(0) { $0 + $1.bytes }))
    }
  }
}

extension Commit {
  /// Whether the commit adds events to the log.
  public var bringsEvents: Bool { kind == "ingest" || kind == "retry" }

  /// Whether the commit rewrites log files without adding or removing events.
  public var keepsEvents: Bool { kind == CompactionPlan.kind }
}

extension StoreReader {
  /// Returns whether an extent was written by a compaction.
  func isCompacted(_ piece: CoveredLogFile.Piece) -> Bool { commits[piece.commit - 1].kind == CompactionPlan.kind }
}
