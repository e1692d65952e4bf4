package import FunnelModel
import FunnelSystem

/// A compaction: replaces the many small gzip members that frequent ingests create by few large ones with the best compression.
///
///     let summary = try StoreCompaction.run(on: writer, before: day, at: now, checker: checker)
///
/// The records of the log, their order and their days do not change. The new log files are read back from the disk
/// and compared with the old ones before a commit of kind `compact` replaces them. Members of earlier compactions
/// that are at least half full are copied unchanged. Damaged data is an error.
///
/// A compaction temporarily needs disk space for a second copy of the days of one commit.
package enum StoreCompaction {
  /// The result for one day.
  package struct Day: Hashable, Sendable {
    package var day: CivilDate
    /// The number of gzip members that were rewritten.
    package var membersBefore: Int
    /// The size of the rewritten log files, in bytes.
    package var bytesBefore: Int
    /// The number of gzip members after the compaction, or `nil` in a preview.
    package var membersAfter: Int?
    /// The size of the new log files in bytes, or `nil` in a preview.
    package var bytesAfter: Int?
  }

  /// The result of a compaction or of its preview.
  package struct Summary: Hashable, Sendable {
    /// The days to be compacted.
    package var days: [Day] = []
    /// The number of days that were compact already.
    package var compactDays = 0
    /// The numbers of the commits that were made.
    package var commits: [Int] = []
  }

  /// The progress of a compaction.
  package typealias Progress = StoreVerification.Progress

  /// The maximum number of compressed bytes that one commit rewrites, unless a single day has more. It bounds the
  /// temporary disk space.
  private static let commitBytesTarget = 1 << 30

  /// The compression method: the slowest one, because a compaction runs in the background.
  private static let compression = Deflater.Method.zlib(level: 9)

  /// Returns the summary of a compaction without running it.
  ///
  /// - Throws: `inputOutput` if the log is damaged.
  package static func preview(of store: StoreReader, before end: CivilDate) throws(FunnelError) -> Summary {
    Summary(of: try CompactionPlan(of: store, before: end))
  }

  /// Compacts all days before `end`. Makes no commit if all of them are compact.
  ///
  /// - Parameters:
  ///   - end: The first day that is not compacted.
  ///   - now: The time of the commits.
  ///   - checker: The checker of the records, which provides the timestamps for the headers of the new members.
  ///   - progress: A closure that is called repeatedly, on the calling thread.
  /// - Throws: `inputOutput` if the log is damaged or can't be written; earlier commits of this compaction stay.
  package static func run(
    on writer: StoreWriter, before end: CivilDate, at now: Timestamp, checker: any RecordChecker,
    progress: (Progress) -> Void = { _ in }
  ) throws(FunnelError) -> Summary {
    let plan = try CompactionPlan(of: writer.reader, before: end)
    var summary = Summary(of: plan)
    var state = Progress(bytesDone: 0, bytesTotal: plan.days.reduce(0) { $0 + $1.bytes })
    var remainingDays = plan.days[...]
    while !remainingDays.isEmpty {
      let days = takeDays(from: &remainingDays)
      var batch = CommitBatch(kind: .compact, at: now)
      batch.removed = days.flatMap { $0.logFiles.map(\.name) }
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

  /// Removes and returns the days that the next commit rewrites, at least one.
  private static func takeDays(from remainingDays: inout ArraySlice<CompactionPlan.Day>) -> [CompactionPlan.Day] {
    var days: [CompactionPlan.Day] = []
    var bytes = 0
    while let next = remainingDays.first, days.isEmpty || bytes + next.bytes <= commitBytesTarget {
      days.append(next)
      bytes += next.bytes
      remainingDays.removeFirst()
    }
    return days
  }
}

extension StoreCompaction.Summary {
  fileprivate init(of plan: CompactionPlan) {
    days = plan.days.map { .init(day: $0.day, membersBefore: $0.members, bytesBefore: $0.bytes) }
    compactDays = plan.compactDays
  }

  /// Sets the number of members and bytes of the days that a commit compacted.
  fileprivate mutating func note(_ commit: Commit, of store: StoreReader) throws(FunnelError) {
    for index in days.indices {
      let extents = commit.appended.filter { $0.logFile.day == days[index].day }
      guard !extents.isEmpty else { continue }
      var members = 0
      for extent in extents { members += try store.members(in: .init(commit: commit.number, extent: extent)).count }
      days[index].membersAfter = members
      days[index].bytesAfter = extents.reduce(0) { $0 + $1.bytes }
    }
  }
}
