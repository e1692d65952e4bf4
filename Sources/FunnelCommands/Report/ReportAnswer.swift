import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelProjections

/// A report, and what reading the log for it told besides.
struct ReportAnswer {
  var report: Report
  let catalog: FlowCatalog
  /// Indices in the catalog of the flow versions the report is about.
  let flows: Set<Int>
  /// What the log has.
  let contents: StoreContents
  /// What reading the files came to; nil if the report is of a store.
  var counts: InputCounts?
  /// The keys, values and steps asked for that may be nowhere.
  let unknownKeys: UnknownKeys

  /// Adds to a report without a row what the log has instead; of a damaged log nobody knows.
  mutating func explainEmptiness() throws(FunnelError) {
    guard report.isEmpty, report.damage == nil else { return }
    let empty = EmptyReport(
      contents: try contents.count(), catalog: catalog, flows: flows, query: report.query,
      isOfGrantsAlone: report.funnel == nil && report.dropoff == nil)
    report.logContents = empty.sentences
  }

  /// What there is to say of events about permissions that mean nothing to the flows.
  func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: catalog, flows: flows)
    return unknown.lines(try contents.countByName(where: unknown.includes))
  }
}
