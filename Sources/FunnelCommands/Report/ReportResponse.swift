import FunnelIngest
import FunnelIndex
import FunnelModel
import FunnelReports

/// Reports, and additional findings from reading the log for them.
struct ReportResponse {
  /// The reports, one for each question.
  var reports: [Report]
  /// The query that the log was read for.
  let query: ReportQuery
  /// The flow versions that the reports cover.
  let flows: ReportFlows
  /// The contents of the log.
  let contents: StoreContents
  /// The counts from reading the files, or nil if the reports are of a store.
  var counts: InputCounts?
  /// The requested keys, values and steps that may not exist; nil if the events are not at hand.
  let unknownKeys: UnknownKeys?

  /// The report of the first question.
  var report: Report { reports[0] }

  /// The parts of the log that could not be read.
  var damage: ReportDamage? { report.damage }

  /// The flow versions that the reports cover, sorted by app, flow and version.
  var definitions: [FlowDefinition] { flows.definitions }

  /// Adds the contents of the log to reports without rows. A damaged log is not described, because its contents are not known.
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

  /// Returns notes on events that the query names and the log does not have.
  func unknownEvents() -> [String] { UnknownEvents(query, flows: flows.definitions).notes(contents) }

  /// Returns notes on permission events that the flows do not declare.
  func unknownAnswers() throws(FunnelError) -> [String] {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    return unknown.lines(try contents.countByName(where: unknown.includes), isLowerBound: !contents.areNamesComplete)
  }
}

extension ReportResponse {
  /// Adds to the reports what their tables and pages say about the log: events that record unknown answers to permissions.
  mutating func addLogNotes() throws(FunnelError) {
    let unknown = UnknownAnswers(catalog: flows.catalog, flows: flows.indices)
    let counts = try contents.countByName(where: unknown.includes)
    guard let sentence = unknown.sentence(counts, isLowerBound: !contents.areNamesComplete) else { return }
    for index in reports.indices { reports[index].logNotes = [sentence] }
  }

  /// Writes the contents of the log to standard error if the reports have no row.
  func tellEmptiness() { Console.notes(report.logContents, after: "nothing matched: ") }

  /// Writes what looks like a mistake in the query or in the log to standard error.
  ///
  /// - Parameter shown: The report whose rows are described, or nil for ``report``.
  func tellFindings(of shown: Report? = nil) throws(FunnelError) {
    let shown = shown ?? report
    // A key that seems unknown may occur in the unreadable part of a damaged log.
    if damage == nil {
      unknownKeys?.tell()
      Console.notes(unknownEvents())
    }
    Console.notes(try unknownAnswers())
    Console.notes(shown.notes)
    guard damage == nil else { return }
    Console.notes(FlowNotes(entries: shown.entries, contents: contents, catalog: flows.catalog).lines)
  }

  /// Throws the error that a command ends with after it printed what could be read.
  ///
  /// - Parameter isFormatGiven: Whether `--from` names the format of the records.
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
