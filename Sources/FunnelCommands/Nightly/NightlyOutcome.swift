import FunnelIngest

/// What a night came to.
struct NightlyOutcome {
  /// Files whose events are in the store.
  var filesDone = 0
  /// Files that can't be read or hold no event.
  var filesFailed = 0
  /// Of those done, gzip files that broke off or were damaged.
  var filesDamaged = 0
  /// What is left in the inbox.
  var left = NightlyLeftFiles()
  var lines = 0
  /// Events that are new to the store.
  var accepted = 0
  /// Events the input or the store had already.
  var duplicates = 0
  var rejected = 0
  var rejectedByReason: [RejectReason: Int] = [:]
  /// Accepted events that no flow declares.
  var unclaimed = 0

  /// The share of lines that were bad; 0 where there were none. To have been forgotten is no fault of a line.
  var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Adds an ingest. `accepted` is by how much the store grew: more than the summary knows where an attempt before it was broken off by
  /// a file that can't be read, and what it had committed now counts as duplicates.
  mutating func add(_ summary: IngestSummary, accepted: Int) {
    lines += summary.lines
    self.accepted += accepted
    duplicates += max(summary.duplicates - (accepted - summary.accepted), 0)
    rejected += summary.rejected
    rejectedByReason.merge(summary.rejectedByReason, uniquingKeysWith: +)
    unclaimed += summary.unclaimed
  }
}
