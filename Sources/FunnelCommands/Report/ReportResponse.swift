import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelReports

/// The response to a report request: the reports, and notes from reading the log.
struct ReportResponse {
  /// The reports, one for each query. Never empty.
  var reports: [Report]
  /// The query that the log was read for.
  let query: ReportQuery
  /// The flow versions that the reports cover.
  let flows: ReportFlows
  /// The contents of the log.
  let contents: StoreContents
  /// The counts from reading the files, or `nil` if the events came from a store.
  var counts: InputCounts?
  /// The check for keys, values and steps that do not exist, or `nil` if the events are not available.
  let unknownKeys: UnknownKeys?

  /// The report of the first query.
  var report: Report { reports[0] }

  /// The gzip members of the log that could not be read, or `nil` if the log is intact.
  var damage: ReportDamage? { report.damage }

  /// The flow versions that the reports cover, sorted by app, flow and version.
  var definitions: [FlowDefinition] { flows.definitions }

  /// Adds a description of the log to the reports if none has rows. A damaged log is not described.
  mutating func explainEmptiness() throws(FunnelError) {
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

  /// Returns notes on events that the query names but the log does not contain.
  func unknownEvents() -> [String] { UnknownEvents(query, flows: flows.definitions).notes(contents) }

  /// Returns notes on permission events that the flows do not declare.
  func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    return unknown.lines(try contents.countByName(where: unknown.includes), isLowerBound: !contents.areNamesComplete)
  }
}

extension ReportResponse {
  /// Adds a note on unknown permission answers to the reports, for their tables and pages.
  mutating func addLogNotes() throws(FunnelError) {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    let counts = try contents.countByName(where: unknown.includes)
    guard let sentence = unknown.sentence(counts, isLowerBound: !contents.areNamesComplete) else { return }
    for index in reports.indices { reports[index].logNotes = [sentence] }
  }

  /// Writes the description of the log to standard error if ``explainEmptiness()`` has added one.
  func tellEmptiness() { Console.notes(report.logContents, after: "nothing matched: ") }

  /// Writes notes on likely mistakes in the query or in the log to standard error.
  ///
  /// - Parameter shown: The report whose rows are described, or `nil` for ``report``.
  func tellFindings(of shown: Report? = nil) throws(FunnelError) {
    let shown = shown ?? report
    // In a damaged log, a key that seems unknown may occur in the unreadable part.
    if damage == nil {
      unknownKeys?.tell()
      Console.notes(unknownEvents())
    }
    Console.notes(try unknownAnswers())
    Console.notes(shown.notes)
    guard damage == nil else { return }
    Console.notes(FlowNotes(entries: shown.entries, contents: contents, catalog: flows.catalog).lines)
  }

  /// Throws an error if the log is damaged or every line was rejected. Call this after the report has been printed.
  ///
  /// - Parameters:
  ///   - store: The path of the store, for the error.
  ///   - isFormatGiven: Whether `--from` names the format of the records.
  func throwFailure(store: String, isFormatGiven: Bool = false) throws(FunnelError) {
    if let damage { throw DamagedLog.error(damage, store: store) }
    if let counts, counts.isRefusedWhole {
      if let hint = ImportReport(aggregate: counts.imports, isFormatGiven: isFormatGiven).hint(forRefused: counts.rejected) {
        Console.complain(hint)
      }
      throw FunnelError(
        .unusableInput,
        "every line was rejected, \(Quantity.count(counts.badCount)) of \(Quantity.count(counts.lines)), fix the problems above"
      )
    }
  }
}
