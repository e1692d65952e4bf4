import FunnelImport
import FunnelIngest

/// The result of ingesting an inbox.
struct NightlyOutcome {
  /// The number of files whose events are in the store.
  var filesDone = 0
  /// The number of files that can't be read or contain no event.
  var filesFailed = 0
  /// The number of gzip files among those done that were truncated or damaged.
  var filesDamaged = 0
  /// The number of files in `done` that became longer after they were taken, and were read again.
  var filesGrown = 0
  /// The files left in the inbox.
  var left = NightlyLeftFiles()
  var lines = 0
  /// The number of events that are new to the store.
  var accepted = 0
  /// The number of events that were already in the input or the store.
  var duplicates = 0
  var rejected = 0
  var rejectedByReason: [RejectionReason: Int] = [:]
  /// The number of accepted events that no flow declares.
  var unclaimed = 0
  /// Their number by name.
  var unclaimedNames: [UnclaimedName: Int] = [:]
  /// What became of foreign records besides events.
  var imports = ImportCounts()

  /// The share of lines that were bad, or 0 if there were no lines. Lines of forgotten subjects do not count as bad.
  var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Adds an ingest.
  ///
  /// - Parameter accepted: The growth of the store in events. It exceeds the summary's number if an earlier attempt was interrupted by an
  ///   unreadable file: the events which that attempt had committed now count as duplicates.
  mutating func add(_ summary: IngestSummary, accepted: Int) {
    lines += summary.lines
    self.accepted += accepted
    duplicates += max(summary.duplicates - (accepted - summary.accepted), 0)
    rejected += summary.rejected
    rejectedByReason.merge(summary.rejectedByReason, uniquingKeysWith: +)
    unclaimed += summary.unclaimed
    unclaimedNames.merge(summary.unclaimedNames, uniquingKeysWith: +)
    imports.add(summary.imports)
  }
}
