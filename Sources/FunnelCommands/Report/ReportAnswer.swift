import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelReports

/// A report, and additional findings from reading the log for it.
struct ReportAnswer {
  var report: Report
  let catalog: FlowCatalog
  /// The indices in the catalog of the flow versions that the report covers.
  let flows: Set<Int>
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
      contents: try contents.count(), catalog: catalog, flows: flows, query: report.query,
      isOfGrantsAlone: report.consists(of: GrantsReport.self))
    report.logContents = empty.sentences
  }

  /// Returns notes on permission events that the flows do not declare.
  func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: catalog, flows: flows)
    return unknown.lines(try contents.countByName(where: unknown.includes))
  }
}
