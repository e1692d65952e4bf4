import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelReports
import Testing

extension IndexedStore {
  /// Returns the rows of a report of steps, which has all properties of their completions.
  func steps(of source: some SequenceSource, _ query: ReportQuery, threads: Int = 2) throws -> [StepsRow] {
    let report = try Report(
      of: source, catalog: catalog, flows: Set(catalog.definitions.indices), query: query,
      selection: ReportSelection(StepsReport.self), threads: threads)
    return try #require(report[StepsReport.self])
  }
}
