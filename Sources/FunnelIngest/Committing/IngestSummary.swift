package import FunnelDecoding
package import FunnelImport
package import FunnelModel

/// The summary of an ingest (specification section 5). Each line is either accepted, a duplicate, or rejected.
package struct IngestSummary: Hashable, Sendable {
  /// The number of input files. Standard input counts as one.
  package var inputs = 0
  /// The number of lines that are not blank. Damage of a file counts as one line.
  package var lines = 0
  /// The number of events that are new to the store.
  package var accepted = 0
  /// The number of events that the input or the store already had.
  package var duplicates = 0
  /// The number of rejected lines.
  package var rejected = 0
  /// The number of accepted events that no flow declares.
  package var unclaimed = 0
  /// The number of rejected lines by reason.
  package var rejectedByReason: [RejectionReason: Int] = [:]
  /// The number of lines that another process had rejected before. They are among the rejected ones.
  package var takenOver = 0
  /// A few of the rejected lines, in the order of the input (``FirstRejections``).
  package var firstRefusals: [Refusal] = []
  /// The first rejected line of the most frequent kind, or `nil` if no line was rejected.
  package var mostFrequentRefusal: Refusal?
  /// The counts of each file before duplicates are removed, by its path. Files without lines have no entry.
  package var countsByFile: [[UInt8]: InputCounts] = [:]
  /// The number of accepted events that no flow declares, by name. At most ``Limits/unclaimedNamesMax`` names are counted.
  package var unclaimedNames: [UnclaimedName: Int] = [:]
  /// The times of the first and the last accepted event, or `nil` if there is none.
  package var timestamps: ClosedRange<Timestamp>?
  /// The number of the last commit, or `nil` if nothing was committed.
  package var commit: Int?
  /// The number of events in the store after the ingest.
  package var eventsInStore = 0

  /// The statistics of imported records.
  package var imports = ImportCounts()

  package init() {}

  /// The share of rejected lines, or 0 if there were no lines. Lines of forgotten subjects do not count as rejected.
  package var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Whether there were lines and all of them were rejected. Lines of forgotten subjects do not count as rejected, and
  /// lines that were rejected before not as lines.
  package var isRefusedWhole: Bool { lines > takenOver && rejected - (rejectedByReason[.forgotten] ?? 0) == lines }

  /// Extends the time range by that of accepted events.
  mutating func extendTimestamps(_ range: ClosedRange<Timestamp>) {
    timestamps =
      timestamps.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }

  /// Adds accepted events that no flow declares.
  mutating func addUnclaimed(_ name: UnclaimedName, count: Int) {
    unclaimed += count
    guard unclaimedNames[name] != nil || unclaimedNames.count < Limits.unclaimedNamesMax else { return }
    unclaimedNames[name, default: 0] += count
  }

  /// Adds the counts of the input.
  mutating func add(_ counts: InputCounts, byFile countsByFile: [[UInt8]: InputCounts]) {
    lines += counts.lines
    imports.add(counts.imports)
    rejected += counts.rejectedCount
    takenOver += counts.takenOver
    rejectedByReason.merge(counts.rejected, uniquingKeysWith: +)
    firstRefusals = counts.firstRefusals.refusals
    mostFrequentRefusal = counts.firstRefusals.mostFrequent
    self.countsByFile.merge(countsByFile) { $1 }
  }
}
