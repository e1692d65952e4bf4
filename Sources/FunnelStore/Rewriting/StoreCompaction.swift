public import FunnelModel
import FunnelSystem

/// Makes full members of the many small ones that many ingests leave behind, compressed as tightly as gzip can.
///
///     let summary = try StoreCompaction.run(on: writer, before: day, at: now, checker: checker)
///
/// Nothing that is in the log changes: the same records, byte for byte, in the same order, under the same day. They are read back from the
/// disk and compared before the commit of kind `compact` that puts the new parts in the place of the old ones. Full members of earlier
/// compactions are copied as they are. What is damaged is not compacted.
///
/// While it works, the disk holds the days of one commit twice.
public enum StoreCompaction {
  /// What became of one day.
  public struct Day: Hashable, Sendable {
    public var day: CivilDate
    /// Gzip members, and bytes in the log, of what was written anew.
    public var membersBefore: Int
    public var bytesBefore: Int
    /// The same afterwards; nil where nothing was done.
    public var membersAfter: Int?
    public var bytesAfter: Int?
  }

  /// What a compaction came to, or would come to.
  public struct Summary: Hashable, Sendable {
    /// The days with something to do.
    public var days: [Day] = []
    /// Days that were compact already.
    public var compactDays = 0
    /// The commits that were made.
    public var commits: [Int] = []
  }

  /// How far it is.
  public typealias Progress = StoreVerification.Progress

  /// Compressed bytes of the parts that one commit writes anew, at most, unless a single day has more.
  private static let commitBytesTarget = 1 << 30

  /// The compression: slow, and never asked for by somebody who waits.
  private static let compression = Deflater.Method.zlib(level: 9)

  /// What there would be to do.
  ///
  /// - Throws: `inputOutput` where the log is damaged.
  public static func preview(of store: StoreReader, before end: CivilDate) throws(FunnelError) -> Summary {
    Summary(of: try CompactionPlan(of: store, before: end))
  }

  /// Compacts all days before one; makes no commit where all are compact.
  ///
  /// - Parameters:
  ///   - checker: reads the records: when they happened is written into the headers.
  ///   - progress: called now and then, on the calling thread.
  /// - Throws: `inputOutput` where the log is damaged or can't be written; what was committed before stays.
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

  /// Notes what stands in the place of the days a commit compacted.
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
