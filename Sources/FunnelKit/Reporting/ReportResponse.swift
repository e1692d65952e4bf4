package import FunnelDecoding
import FunnelIndex
package import FunnelModel
package import FunnelRendering
package import FunnelReports

/// The response to a report request: the reports, and notes from reading the log.
package struct ReportResponse {
  /// The reports, one for each query. Never empty.
  package private(set) var reports: [FunnelReports.Report]
  /// The query that the log was read for.
  package let query: ReportQuery
  /// The flow versions that the reports cover.
  package let flows: ReportFlows
  /// The contents of the log.
  let contents: StoreContents
  /// The counts from reading the files, or `nil` if the events came from a store.
  package let counts: InputCounts?
  /// The check for keys, values and steps that do not exist, or `nil` if the events are not available.
  private let unknownKeys: UnknownKeys?

  /// Creates the response of merged states, whose events are not available.
  ///
  /// - Parameter input: The counts from reading the files of the states.
  package init(merged report: FunnelReports.Report, query: ReportQuery, flows: ReportFlows, input: InputCounts) {
    self.init(
      reports: [report], query: query, flows: flows, contents: StoreContents(input.contents), counts: input,
      unknownKeys: nil)
  }

  init(
    reports: [FunnelReports.Report], query: ReportQuery, flows: ReportFlows, contents: StoreContents, counts: InputCounts?,
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

  /// The names of the events in the log.
  package var eventNames: Set<EventTypeName> { contents.names }

  /// The flow versions that the reports cover, sorted by app, flow and version.
  package var definitions: [FlowDefinition] { flows.definitions }

  /// Returns the response with what the reports themselves say about the log.
  ///
  /// If no report has rows, that is a description of the log. A damaged log is not described.
  ///
  /// - Parameters:
  ///   - app: The only app to describe, or `nil` for all.
  ///   - namesUnknownAnswers: Whether the reports also name permission answers that no flow declares.
  package func explained(ofApp app: String? = nil, namesUnknownAnswers: Bool = true) throws(FunnelError) -> ReportResponse {
    var response = self
    if reports.allSatisfy(\.isEmpty), damage == nil {
      let empty = EmptyReport(
        contents: try contents.count(), flows: flows, query: query, subject: .init(of: report), app: app)
      for index in reports.indices {
        response.reports[index].emptinessReason = empty.reason
        response.reports[index].logContents = empty.sentences
      }
    }
    if namesUnknownAnswers, let sentence = UnknownAnswers.sentence(try unknownAnswers()) {
      for index in reports.indices { response.reports[index].logNotes = [sentence] }
    }
    return response
  }

  /// Returns notes on likely mistakes in the query or in the log.
  ///
  /// - Parameter shown: The report whose rows the notes are about, or `nil` for ``report``.
  package func findings(of shown: FunnelReports.Report? = nil) throws(FunnelError) -> [String] {
    let shown = shown ?? report
    return unknownTerms + (try unknownAnswers()) + shown.notes + flowNotes(on: shown)
  }

  /// Returns the notes for a page, whose report has its own notes. Empty if the log is damaged.
  package func pageNotes() throws(FunnelError) -> [String] {
    guard damage == nil else { return [] }
    return unknownTerms + (try unknownAnswers()) + flowNotes(on: report)
  }

  /// Notes on keys, values, steps and events that the query names but the log does not contain.
  private var unknownTerms: [String] {
    // In a damaged log, they may occur in the unreadable part.
    guard damage == nil else { return [] }
    return (unknownKeys?.notes() ?? []) + UnknownEvents(query, flows: flows.definitions).notes(contents)
  }

  private func flowNotes(on report: FunnelReports.Report) -> [String] {
    guard damage == nil else { return [] }
    return FlowNotes(entries: report.entries, contents: contents, catalog: flows.catalog, countBy: query.countBy).lines
  }

  /// Returns a note on other IDs if the records of files are imported and most subjects never entered the flow
  /// (``IdentityTrial``), otherwise `nil`.
  package func identityNote(on source: FileSource, threads: Int) throws(FunnelError) -> String? {
    guard let counts else { return nil }
    let trial = IdentityTrial(
      files: try source.files(), options: try source.decoding(now: query.now), catalog: flows.catalog, threads: threads)
    return trial.note(counts.imports, entries: report.entries)
  }

  /// Returns notes on permission events that the flows do not declare.
  private func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    return unknown.lines(try contents.countByName(where: unknown.includes), isLowerBound: !contents.areNamesComplete)
  }
}
