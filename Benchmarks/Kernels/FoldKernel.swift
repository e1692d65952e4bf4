import FunnelHistories
public import FunnelModel
import FunnelReports

/// Folds subjects that are held in memory into all three reports.
public struct FoldKernel: Sendable {
  private let source: SyntheticHistories

  /// Creates a kernel with a number of subjects.
  public init(subjects: Int) {
    source = SyntheticHistories(subjects: subjects)
  }

  /// The number of events.
  public var eventCount: Int { source.eventCount }

  /// Folds all events.
  ///
  /// - Parameters:
  ///   - by: The dimensions; `ctx.variant` has three values.
  ///   - countBy: The unit that is counted once, or nil for the flow's own.
  ///   - threads: The number of threads.
  /// - Returns: The number of groups that entered the flow.
  public func fold(by: [Dimension] = [], countBy: FlowDefinition.CountBy? = nil, threads: Int = 1) throws -> Int {
    var query = ReportQuery(now: SyntheticHistories.end)
    query.by = by
    query.countBy = countBy
    let report = try Report(
      of: source, catalog: SampleLog.catalog, flows: Set(SampleLog.catalog.definitions.indices), query: query,
      selection: .standard, threads: threads)
    return (report[FunnelReport.self] ?? []).reduce(0) { $0 + $1.entered }
  }
}
