package import FunnelDecoding
import FunnelIngest
package import FunnelIndex
package import FunnelModel
package import FunnelRendering
package import FunnelReports

/// The response to a report request: the reports, and notes from reading the log.
package struct ReportResponse {
  /// The reports, one for each query. Never empty.
  package var reports: [FunnelReports.Report]
  /// The query that the log was read for.
  package let query: ReportQuery
  /// The flow versions that the reports cover.
  package let flows: ReportFlows
  /// The contents of the log.
  package let contents: StoreContents
  /// The counts from reading the files, or `nil` if the events came from a store.
  package var counts: InputCounts?
  /// The check for keys, values and steps that do not exist, or `nil` if the events are not available.
  package let unknownKeys: UnknownKeys?

  package init(
    reports: [FunnelReports.Report], query: ReportQuery, flows: ReportFlows, contents: StoreContents,
    counts: InputCounts? = nil,
    unknownKeys: UnknownKeys?
  ) {
    precondition(!reports.isEmpty, "a response has a report for each query")
    self.reports = reports
    self.query = query
    self.flows = flows
    self.contents = contents
    self.counts = counts
    self.unknownKeys = unknownKeys
  }

  /// The report of the first query.
  package var report: FunnelReports.Report { reports[0] }

  /// The gzip members of the log that could not be read, or `nil` if the log is intact.
  package var damage: ReportDamage? { report.damage }

  /// The flow versions that the reports cover, sorted by app, flow and version.
  package var definitions: [FlowDefinition] { flows.definitions }

  /// Adds a description of the log to the reports if none has rows. A damaged log is not described.
  package mutating func explainEmptiness() throws(FunnelError) {
    guard reports.allSatisfy(\.isEmpty), damage == nil else { return }
    let empty = EmptyReport(
      contents: try contents.count(), catalog: flows.catalog, flows: flows.indices, query: query,
      isOfGrantsAlone: report.consists(of: GrantsReport.self),
      isOfOutcomesAlone: report.consists(of: OutcomesReport.self), isOfAccessAlone: report.consists(of: AccessReport.self))
    for index in reports.indices {
      reports[index].emptinessReason = empty.reason
      reports[index].logContents = empty.sentences
    }
  }

  /// Returns notes on likely mistakes in the query or in the log.
  ///
  /// - Parameter shown: The report whose rows the notes are about, or `nil` for ``report``.
  package func findings(of shown: FunnelReports.Report? = nil) throws(FunnelError) -> [String] {
    let shown = shown ?? report
    // In a damaged log, a key that seems unknown may occur in the unreadable part.
    let unknown = damage == nil ? (unknownKeys?.notes() ?? []) + unknownEvents() : []
    let notes = unknown + (try unknownAnswers()) + shown.notes
    guard damage == nil else { return notes }
    return notes + FlowNotes(entries: shown.entries, contents: contents, catalog: flows.catalog).lines
  }

  /// Returns a note on other IDs if the records of files are imported and most subjects never entered the flow
  /// (``IdentityTrial``), otherwise `nil`.
  package func identityNote(on source: FileSource, threads: Int) throws(FunnelError) -> String? {
    guard let counts else { return nil }
    let trial = IdentityTrial(
      files: try source.files(), options: try source.decoding(now: query.now), catalog: flows.catalog, threads: threads)
    return trial.note(counts.imports, entries: report.entries)
  }

  /// Returns notes on events that the query names but the log does not contain.
  package func unknownEvents() -> [String] { UnknownEvents(query, flows: flows.definitions).notes(contents) }

  /// Returns notes on permission events that the flows do not declare.
  package func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    return unknown.lines(try contents.countByName(where: unknown.includes), isLowerBound: !contents.areNamesComplete)
  }
}

extension ReportResponse {
  /// Adds a note on unknown permission answers to the reports, for their tables and pages.
  package mutating func addLogNotes() throws(FunnelError) {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    let counts = try contents.countByName(where: unknown.includes)
    guard let sentence = unknown.sentence(counts, isLowerBound: !contents.areNamesComplete) else { return }
    for index in reports.indices { reports[index].logNotes = [sentence] }
  }
}
