public import FunnelModel
import FunnelSystem

/// A compaction: it replaces the many small members that many ingests leave behind by full ones, compressed as tightly as gzip can.
///
///     let summary = try StoreCompaction.run(on: writer, before: day, at: now, checker: checker)
///
/// The contents of the log do not change: the same records, byte for byte, in the same order, under the same day. They are read back from
/// the disk and compared before the commit of kind `compact` replaces the old parts by the new ones. Members of earlier compactions that
/// are at least half full are copied unchanged. Damaged data is not compacted.
///
/// During a compaction the disk holds the days of one commit twice.
public enum StoreCompaction {
  /// The result for one day.
  public struct Day: Hashable, Sendable {
    public var day: CivilDate
    /// The number of gzip members that were rewritten.
    public var membersBefore: Int
    /// The size of the rewritten parts in the log, in bytes.
    public var bytesBefore: Int
    /// The number of gzip members after the compaction, or nil if nothing was done.
    public var membersAfter: Int?
    /// The size of the new parts, in bytes, or nil if nothing was done.
    public var bytesAfter: Int?
  }

  /// The result of a compaction or of its preview.
  public struct Summary: Hashable, Sendable {
    /// The days to be compacted.
    public var days: [Day] = []
    /// The number of days that were compact already.
    public var compactDays = 0
    /// The numbers of the commits that were made.
    public var commits: [Int] = []
  }

  /// The progress of a compaction.
  public typealias Progress = StoreVerification.Progress

  /// The maximum of compressed bytes that one commit rewrites, unless a single day has more.
  private static let commitBytesTarget = 1 << 30

  /// The compression method: slow, because nobody waits for a compaction.
  private static let compression = Deflater.Method.zlib(level: 9)

  /// Returns what a compaction would do, without writing.
  ///
  /// - Throws: `inputOutput` if the log is damaged.
  public static func preview(of store: StoreReader, before end: CivilDate) throws(FunnelError) -> Summary {
    Summary(of: try CompactionPlan(of: store, before: end))
  }

  /// Compacts all days before `end`. Makes no commit if all are compact.
  ///
  /// - Parameters:
  ///   - checker: reads the records, whose timestamps are written into the headers of the new members.
  ///   - progress: called repeatedly, on the calling thread.
  /// - Throws: `inputOutput` if the log is damaged or can't be written; earlier commits of this compaction stay.
  public static func run(
    on writer: StoreWriter, before end: CivilDate, at now: Timestamp, checker: any RecordChecker,
    progress: (Progress) -> Void = { _ in }
  ) throws(FunnelError) -> Summary {
    let plan = try CompactionPlan(of: writer.reader, before: end)
    var summary = Summary(of: plan)
    var state = Progress(bytesDone: 0, bytesTotal: plan.days.reduce(0) { $0 + $1.bytes })
    var rest = plan.days[...]
    while !rest.isEmpty {
      let days = takeDays(from: &rest)
      var batch = CommitBatch(kind: CompactionPlan.kind, at: now)
      batch.removed = days.flatMap { $0.parts.map(\.name) }
      let commit = try writer.rewrite(
        batch, compression: compression,
        check: { (before, after) throws(FunnelError) in
          try RecordComparison(before: before, after: after, threads: writer.options.threads).run(days)
        }
      ) { (rewriting) throws(FunnelError) in
        var compactor = MemberCompactor(rewriting: rewriting, checker: checker, options: writer.options)
        for day in days {
          try compactor.compact(day) { bytes in
            state.bytesDone += bytes
            progress(state)
          }
        }
      }
      summary.commits.append(commit.number)
      try summary.note(commit, of: writer.reader)
    }
    return summary
  }

  private static func takeDays(from rest: inout ArraySlice<CompactionPlan.Day>) -> [CompactionPlan.Day] {
    var days: [CompactionPlan.Day] = []
    var bytes = 0
    while let next = rest.first, days.isEmpty || bytes + next.bytes <= commitBytesTarget {
      days.append(next)
      bytes += next.bytes
      rest.removeFirst()
    }
    return days
  }
}

extension StoreCompaction.Summary {
  fileprivate init(of plan: CompactionPlan) {
    days = plan.days.map { .init(day: $0.day, membersBefore: $0.members, bytesBefore: $0.bytes) }
    compactDays = plan.compactDays
  }

  /// Records the new members and bytes of the days that a commit compacted.
  fileprivate mutating func note(_ commit: Commit, of store: StoreReader) throws(FunnelError) {
    for index in days.indices {
      let extents = commit.appended.filter { $0.part.day == days[index].day }
      guard !extents.isEmpty else { continue }
      var members = 0
      for extent in extents { members += try store.members(in: .init(commit: commit.number, extent: extent)).count }
      days[index].membersAfter = members
      days[index].bytesAfter = extents.reduce(0) { $0 + $1.bytes }
    }
  }
}
