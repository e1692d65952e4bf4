import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelReports

/// A report, and additional findings from reading the log for it.
struct ReportAnswer {
  var report: Report
  /// The flow versions that the report covers.
  let flows: ReportFlows
  /// The contents of the log.
  let contents: StoreContents
  /// The counts from reading the files, or nil if the report is of a store.
  var counts: InputCounts?
  /// The requested keys, values and steps that may not exist.
  let unknownKeys: UnknownKeys

  /// Adds the contents of the log to a report without rows. A damaged log is not described, because its contents are not known.
  mutating func explainEmptiness() throws(FunnelError) {
    guard report.isEmpty, report.damage == nil else { return }
    let empty = EmptyReport(
      contents: try contents.count(), catalog: flows.catalog, flows: flows.indices, query: report.query,
      isOfGrantsAlone: report.consists(of: GrantsReport.self))
    report.logContents = empty.sentences
  }

  /// Returns notes on events that the query names and the log does not have.
  func unknownEvents() -> [String] { UnknownEvents(report.query, flows: flows.definitions).notes(contents) }

  /// Returns notes on permission events that the flows do not declare.
  func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    return unknown.lines(try contents.countByName(where: unknown.includes))
  }
}
