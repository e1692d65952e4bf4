import FunnelImport
import FunnelDecoding
import FunnelIngest

/// The counts of files, lines and events of one ingest of an inbox.
struct NightlyOutcome {
  /// The number of files whose events are in the store.
  var filesDone = 0
  /// The number of files that cannot be read or contain no event.
  var filesFailed = 0
  /// The number of gzip and zip files among those done that were truncated or damaged.
  var filesDamaged = 0
  /// The number of files in `done` that grew after they were ingested and were read again.
  var filesGrown = 0
  /// The files left in the inbox.
  var left = NightlyLeftFiles()
  /// The number of lines read.
  var lines = 0
  /// The number of events that are new to the store.
  var accepted = 0
  /// The number of events that were already in the input or the store.
  var duplicates = 0
  /// The number of rejected lines.
  var rejected = 0
  /// The number of rejected lines by reason.
  var rejectedByReason: [RejectionReason: Int] = [:]
  /// The number of accepted events that no flow declares.
  var unclaimed = 0
  /// The number of unclaimed events by name.
  var unclaimedNames: [UnclaimedName: Int] = [:]
  /// The counts of imported records.
  var imports = ImportCounts()

  /// The fraction of rejected lines, without those of forgotten subjects, or 0 if there were no lines.
  var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Adds the summary of an ingest.
  ///
  /// - Parameter accepted: The number of events by which the store grew. It exceeds that of the summary if an
  ///   unreadable file interrupted an earlier attempt: the summary counts the events that the attempt committed as duplicates.
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
