import FunnelDecoding
import FunnelIndex
package import FunnelModel
package import FunnelRendering
package import FunnelReports
import FunnelSequences
package import FunnelStore

/// The events of some flow versions of a store, from which several reports can be computed in one pass.
package struct StoreEvents {
  fileprivate let sequences: any SequenceSource
  fileprivate let catalog: FlowCatalog
  /// The catalog indices of the flow versions.
  fileprivate let flows: Set<Int>
  fileprivate let threads: Int

  /// Computes the reports of a selection.
  ///
  /// - Parameter some: The catalog indices of the flow versions to report on, or `nil` for those of the pass.
  package func report(
    _ query: ReportQuery, _ selection: ReportSelection, flows some: Set<Int>? = nil
  ) throws(FunnelError) -> FunnelReports.Report {
    assert(some?.isSubset(of: flows) ?? true, "the pass has events of its own flow versions only")
    return try FunnelReports.Report(
      of: sequences, catalog: catalog, flows: some ?? flows, query: query, selection: selection, threads: threads)
  }

  /// Computes the counts of a selection, for a state.
  package func counts(_ query: ReportQuery, _ selection: ReportSelection) throws(FunnelError) -> FoldedCounts {
    try FoldedCounts(of: sequences, catalog: catalog, flows: flows, query: query, selection: selection, threads: threads)
  }
}

/// The result of one pass over the events of a store.
///
///     let pass = try StorePass.run(over: store, catalog: catalog, query: query, threads: 4) { (events) throws(FunnelError) in
///       (try events.report(query, .standard), try events.report(trend, ReportSelection(TrendReport.self)))
///     }
package struct StorePass<Result> {
  /// The value that the body returned.
  package let result: Result
  /// The number of subjects that are excluded because the store lists them as internal.
  package let internalSubjects: Int
  /// The gzip members of the log that could not be read, or `nil` if the log is intact.
  package let damage: ReportDamage?
  private let contents: StoreContents
  private let catalog: FlowCatalog

  /// Calls a body with the events of a store.
  ///
  /// - Parameters:
  ///   - flows: The catalog indices of the flow versions whose events are read, or `nil` for all.
  ///   - query: The query for which the events are read. Its period must include those of all reports.
  ///   - body: Computes the reports. It is called again if damage to the index is found midway.
  /// - Throws: `inputOutput` if the log is damaged and the reader does not tolerate it, and the errors of `body`.
  package static func run(
    over store: StoreReader, catalog: FlowCatalog, flows: Set<Int>? = nil, query: ReportQuery, threads: Int,
    _ body: (StoreEvents) throws(FunnelError) -> Result
  ) throws(FunnelError) -> StorePass {
    let flows = flows ?? Set(catalog.definitions.indices)
    let folded = try IndexOrLog.withSequences(of: store, catalog: catalog, query: query, flows: flows, threads: threads) {
      (sequences) throws(FunnelError) in
      try body(StoreEvents(sequences: sequences, catalog: catalog, flows: flows, threads: threads))
    }
    return StorePass(
      result: folded.result, internalSubjects: folded.internalSubjects,
      damage: DamagedLog.damage(of: store, indexedUpTo: folded.indexedCommit), contents: folded.contents, catalog: catalog)
  }

  /// Returns the time of the last event of the log, or `nil` if the log is empty.
  package func lastEvent() throws(FunnelError) -> Timestamp? { try contents.count().span?.upperBound }

  /// Returns notes on likely logging mistakes that a report with some entries does not show.
  package func notes(on entries: [FlowEntries]) -> [String] {
    FlowNotes(entries: entries, contents: contents, catalog: catalog).lines
  }
}
