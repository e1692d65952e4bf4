public import FunnelModel

/// What an ingest came to (specification section 5). Every line is accepted, a duplicate or rejected.
public struct IngestSummary: Hashable, Sendable {
  /// Files read, standard input being one.
  public var inputs = 0
  /// Lines that were not blank; damage of a gzip file counts as one.
  public var lines = 0
  /// Events that are new to the store.
  public var accepted = 0
  /// Events the input or the store had already.
  public var duplicates = 0
  /// Refused lines.
  public var rejected = 0
  /// Accepted events that no flow declares.
  public var unclaimed = 0
  public var rejectedByReason: [RejectReason: Int] = [:]
  /// The first of the refused lines.
  public var firstRefusals: [Refusal] = []
  /// The first files that are JSON, but not one object a line.
  public var misshapenFiles: [MisshapenFile] = []
  /// What each file came to before duplicates were told apart, by its path; files without a line are left out.
  public var countsByFile: [[UInt8]: InputCounts] = [:]
  /// The accepted events no flow declares, by name; at most ``Limits/unclaimedNamesMax`` names.
  public var unclaimedNames: [UnclaimedName: Int] = [:]
  /// Times of the first and last accepted event.
  public var timestamps: ClosedRange<Timestamp>?
  /// Number of the last commit made; nil where there was nothing to commit.
  public var commit: Int?
  /// Events in the store afterwards.
  public var eventsInStore = 0

  public init() {}

  /// The share of lines that were bad; 0 where there were none. To have been forgotten is no fault of a line.
  public var rejectRate: Double { lines == 0 ? 0 : Double(rejected - (rejectedByReason[.forgotten] ?? 0)) / Double(lines) }

  /// Whether there were lines, and every one was refused. Lines of forgotten subjects are left out, which is no fault of theirs.
  public var isRefusedWhole: Bool { lines > 0 && rejected - (rejectedByReason[.forgotten] ?? 0) == lines }

  /// Takes in the times of accepted events.
  mutating func extendTimestamps(_ range: ClosedRange<Timestamp>) {
    timestamps =
      timestamps.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }

  /// Counts accepted events no flow declares.
  mutating func addUnclaimed(_ name: UnclaimedName, count: Int) {
    unclaimed += count
    guard unclaimedNames[name] != nil || unclaimedNames.count < Limits.unclaimedNamesMax else { return }
    unclaimedNames[name, default: 0] += count
  }

  /// Takes in what was read.
  mutating func add(_ counts: InputCounts, byFile countsByFile: [[UInt8]: InputCounts]) {
    lines += counts.lines
    rejected += counts.rejectedCount
    rejectedByReason.merge(counts.rejected, uniquingKeysWith: +)
    firstRefusals = counts.firstRefusals.refusals
    misshapenFiles = counts.misshapenFiles
    self.countsByFile.merge(countsByFile) { $1 }
  }
}
