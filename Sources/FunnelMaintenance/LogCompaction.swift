import FunnelDecoding
package import FunnelModel
package import FunnelStore

/// A compaction of the days of a log that receive no more events.
package struct LogCompaction {
  /// The default time between the end of a day and its compaction. Apps send events that they logged offline late.
  package static let ageDefault = TimeSpan(milliseconds: 2 * Timestamp.millisecondsPerDay)

  private let threads: Int
  private let now: Timestamp
  /// The first day that is too recent to be compacted.
  private let end: CivilDate

  /// Creates a compaction of the days that ended at least `age` before `now`.
  package init(threads: Int, now: Timestamp, age: TimeSpan = Self.ageDefault) {
    self.threads = threads
    self.now = now
    end = Timestamp(milliseconds: now.milliseconds - age.milliseconds).day
  }

  /// Returns the summary of a compaction without running it.
  package func preview(of store: StoreReader) throws(FunnelError) -> StoreCompaction.Summary {
    try StoreCompaction.preview(of: store, before: end)
  }

  /// Updates the index, and compacts the log.
  ///
  /// - Parameter progress: A closure that is called with the total number of bytes processed so far.
  /// - Returns: The summary of the compaction, and the reason why the index was not updated, or `nil` if it was
  ///   updated or nothing was compacted.
  package func run(
    on writer: StoreWriter, progress: (_ bytes: Int) -> Void
  ) throws(FunnelError) -> (summary: StoreCompaction.Summary, indexProblem: String?) {
    let preview = try preview(of: writer.reader)
    guard !preview.days.isEmpty else { return (preview, nil) }
    // After the compaction it could not be determined which events the index lacks.
    let problem = IndexMaintenance.renew(of: writer, threads: threads)
    let checker = try StoredRecordChecker()
    let summary = try StoreCompaction.run(on: writer, before: end, at: now, checker: checker) { progress($0.bytesDone) }
    return (summary, problem)
  }
}
