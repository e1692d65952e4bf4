import FunnelSequences
import FunnelModel
import FunnelReports

/// Aggregates the events of subjects that are held in memory into the standard reports.
public struct FoldKernel: Sendable {
  private let source: SyntheticSequences

  /// Creates a kernel with a number of subjects.
  public init(subjects: Int) {
    source = SyntheticSequences(subjects: subjects)
  }

  /// The number of events.
  public var eventCount: Int { source.eventCount }

  /// Folds all events.
  ///
  /// - Parameters:
  ///   - contextKey: The context key to group by; `variant` has three values.
  ///   - countsAttempts: Whether to count attempts instead of subjects.
  ///   - threads: The number of threads.
  /// - Returns: The number of groups that entered the flow.
  public func fold(byContext contextKey: String? = nil, countsAttempts: Bool = false, threads: Int = 1) throws -> Int {
    var query = ReportQuery(now: SyntheticSequences.end)
    query.by = contextKey.map { [.context($0)] } ?? []
    query.countBy = countsAttempts ? .attempt : nil
    let report = try Report(
      of: source, catalog: SampleLog.catalog, flows: Set(SampleLog.catalog.definitions.indices), query: query,
      selection: .standard, threads: threads)
    return (report[FunnelReport.self] ?? []).reduce(0) { $0 + $1.entered }
  }
}
