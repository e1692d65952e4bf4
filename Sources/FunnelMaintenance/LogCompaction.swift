import FunnelIngest
public import FunnelModel
public import FunnelStore

/// A compaction of the closed days of a log.
public struct LogCompaction {
  /// The default time that must have passed since the end of a day: apps send events late that they logged offline.
  public static let ageDefault = TimeSpan(milliseconds: 2 * Timestamp.millisecondsPerDay)

  private let threads: Int
  private let now: Timestamp
  /// The first day that is too recent to be compacted.
  private let end: CivilDate

  /// Creates a compaction of the days that ended at least `age` before `now`.
  public init(threads: Int, now: Timestamp, age: TimeSpan = Self.ageDefault) {
    self.threads = threads
    self.now = now
    end = Timestamp(milliseconds: now.milliseconds - age.milliseconds).day
  }

  /// Returns what a compaction would do.
  public func preview(of store: StoreReader) throws(FunnelError) -> StoreCompaction.Summary {
    try StoreCompaction.preview(of: store, before: end)
  }

  /// Compacts the log. The index is brought up to date first, so that it can be carried over: after the compaction there is no way to tell
  /// which events it lacks.
  ///
  /// - Parameter progress: A closure that is called with the bytes done so far.
  /// - Returns: What was done, and why the index could not be brought up to date, or nil.
  public func run(
    on writer: StoreWriter, progress: (_ bytes: Int) -> Void
  ) throws(FunnelError) -> (summary: StoreCompaction.Summary, indexProblem: String?) {
    let preview = try preview(of: writer.reader)
    guard !preview.days.isEmpty else { return (preview, nil) }
    let problem = IndexMaintenance.renew(of: writer, threads: threads)
    let checker = try StoredRecordChecker()
    let summary = try StoreCompaction.run(on: writer, before: end, at: now, checker: checker) { progress($0.bytesDone) }
    return (summary, problem)
  }
}
