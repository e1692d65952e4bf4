import FunnelModel

/// What there is to be compacted, and what it takes.
struct CompactionPlan: Sendable {
  /// One day whose parts are written anew from the first that needs it.
  struct Day: Sendable {
    var day: CivilDate
    /// The parts that are written anew, in order: all of the day from the first one that changes, so that its order stays.
    var parts: [CoveredPart]
    var members: Int
    var bytes: Int
  }

  /// Days with something to do.
  var days: [Day] = []
  /// Days that are compact already.
  var compactDays = 0

  /// The kind of commits that compact.
  static let kind = "compact"

  /// Looks at the days before one; nothing is inflated.
  ///
  /// A day is compact when all of it was written by compactions. What is ingested later goes behind, and makes it not compact again.
  ///
  /// - Throws: `inputOutput` where a header is damaged.
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
  /// Whether it wrote events anew that were in the log already, all of them and no others.
  public var keepsEvents: Bool { kind == CompactionPlan.kind }
}

extension StoreReader {
  /// Whether an extent was written by a compaction.
  func isCompacted(_ piece: CoveredPart.Piece) -> Bool { commits[piece.commit - 1].kind == CompactionPlan.kind }
}
