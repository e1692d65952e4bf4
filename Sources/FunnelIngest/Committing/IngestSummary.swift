public import FunnelImport
public import FunnelModel

/// The summary of an ingest (specification section 5). Every line is accepted, a duplicate or rejected.
public struct IngestSummary: Hashable, Sendable {
  /// The number of files that were read; standard input counts as one.
  public var inputs = 0
  /// The number of lines that were not blank; damage of a file counts as one.
  public var lines = 0
  /// The number of events that are new to the store.
  public var accepted = 0
  /// The number of events that the input or the store already had.
  public var duplicates = 0
  /// The number of rejected lines.
  public var rejected = 0
  /// The number of accepted events that no flow declares.
  public var unclaimed = 0
  public var rejectedByReason: [RejectionReason: Int] = [:]
  /// The first rejected lines.
  public var firstRefusals: [Refusal] = []
  /// The counts of each file before duplicates are dropped, by its path; files without a line are left out.
  public var countsByFile: [[UInt8]: InputCounts] = [:]
  /// The number of accepted events that no flow declares, by name; at most ``Limits/unclaimedNamesMax`` names.
  public var unclaimedNames: [UnclaimedName: Int] = [:]
  /// The times of the first and the last accepted event.
  public var timestamps: ClosedRange<Timestamp>?
  /// The number of the last commit, or nil if there was nothing to commit.
  public var commit: Int?
  /// The number of events in the store afterwards.
  public var eventsInStore = 0

  /// What became of foreign records besides events.
  public var imports = ImportCounts()

  public init() {}

  /// The share of lines that were bad; 0 if there were none. Lines of forgotten subjects are not bad.
  public var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Whether there were lines, and every one of them was bad. Lines of forgotten subjects are not bad.
  public var isRefusedWhole: Bool { lines > 0 && rejected - (rejectedByReason[.forgotten] ?? 0) == lines }

  /// Extends the times by those of accepted events.
  mutating func extendTimestamps(_ range: ClosedRange<Timestamp>) {
    timestamps =
      timestamps.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }

  /// Counts accepted events that no flow declares.
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
    rejectedByReason.merge(counts.rejected, uniquingKeysWith: +)
    firstRefusals = counts.firstRefusals.refusals
    self.countsByFile.merge(countsByFile) { $1 }
  }
}
