import FunnelModel

/// The days to be compacted, and their size.
struct CompactionPlan: Sendable {
  /// One day whose parts are rewritten from the first one that needs it.
  struct Day: Sendable {
    var day: CivilDate
    /// The parts that are rewritten, in order: all of the day from the first one that changes, so that the order of the day is kept.
    var parts: [CoveredLogFile]
    var members: Int
    var bytes: Int
  }

  /// The days to be compacted.
  var days: [Day] = []
  /// The number of days that are compact already.
  var compactDays = 0

  /// The kind of the commits that a compaction makes.
  static let kind = "compact"

  /// Plans the compaction of the days before `end`, without inflating anything.
  ///
  /// A day is compact if all of it was written by compactions. A later ingest appends to the day, which then is no longer compact.
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
  /// Whether it is of a command that brings events, and not one that rewrites what is there.
  public var bringsEvents: Bool { kind == "ingest" || kind == "retry" }

  /// Whether it rewrote events that were in the log already, all of them and no others.
  public var keepsEvents: Bool { kind == CompactionPlan.kind }
}

extension StoreReader {
  /// Returns whether an extent was written by a compaction.
  func isCompacted(_ piece: CoveredLogFile.Piece) -> Bool { commits[piece.commit - 1].kind == CompactionPlan.kind }
}
