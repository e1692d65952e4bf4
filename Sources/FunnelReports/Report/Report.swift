package import FunnelIndex
package import FunnelModel
package import FunnelProjections
package import FunnelRendering

/// The result of a query: the rows of each selected named report, and notes on them.
package struct Report: Sendable {
  package var query: ReportQuery
  /// The selected named reports with their rows, in the order of the registry.
  var answers: [any AnyReportRows]
  /// The damaged parts of the log, or `nil` if all required parts could be read.
  package var damage: ReportDamage?
  /// The alerts that these numbers raised, as sentences. They are printed at the top of a page.
  package var alarms: [String] = []
  /// The number of groups of each flow version that the rows exclude, such as those that never enter its first step.
  package var entries: [FlowEntries] = []
  /// Sentences about the log. Tables and pages show them with the notes. For other formats they are written to
  /// standard error.
  package var logNotes: [String] = []
  /// The rows of the funnel report, which notes on excluded groups need even if that report is not selected.
  var funnelRows: [FunnelRow] = []
  /// The groups of each flow version that reached their next step after the window. Empty if they are not counted.
  var late: [LateGroups] = []
  /// The groups of each flow version that entered optional steps in another order. Empty if they are not counted.
  var otherOrder: [OtherOrderGroups] = []
  /// The number of groups of each flow version that have the keys of the query, at their anchor and at their
  /// pre-prompts. Empty if the query has no keys.
  package var coverage: [KeyCoverage] = []
  /// The keys of the query, as stored dimensions, that are absent from all events of the log.
  package var keysWithoutValue: Set<Dimension> = []
  /// Returns the URL of a served page with conditions, as values of `--where`. `nil` if the report is not served.
  package var targetOfConditions: (@Sendable ([String]) -> String)?
  /// The groups with several values of a key of the query's `by`, by flow version and segment. Empty unless the
  /// selection counts them.
  package var mixed: [MixedGroups] = []
  /// A clause about the change of conversion from the period before, by flow version. Empty without a period.
  var changes: [FlowReference: String] = [:]
  /// The annotations of the store, for the charts of a trend.
  var annotations: [MarkedDay] = []
  /// The first day of each app version, by flow version, for the charts of a trend.
  var firstDays: [FlowReference: [MarkedDay]] = [:]
  /// Sentences that only formats with pictures show, without full stops.
  var pageNotes: [String] = []
  /// The number of subjects that are excluded because the store lists them as internal.
  package var internalSubjects = 0
  /// The users that were not merged, because too many subjects name them.
  package var crowdedUsers: [CrowdedUser] = []
  /// Sentences about the contents of the log. Empty if the report has rows.
  package var logContents: [String] = []
  /// The reason why the query can have no rows for any log, as a clause, such as that no flow locks features.
  /// `nil` if there is no such reason.
  package var emptinessReason: String?
  /// The heading of a report without rows.
  package var emptinessTitle = ReportDocument.emptinessTitleDefault

  /// Creates a report without rows of any named report.
  package init(query: ReportQuery) {
    self.query = query
    answers = []
  }

  /// Computes the selected named reports in one pass over the event sequences.
  ///
  /// - Parameters:
  ///   - source: The event sequences.
  ///   - catalog: The flow definitions in force. Rows are in its order (specification section 5).
  ///   - flows: The catalog indices of the flow versions to include.
  ///   - threads: The number of threads. The report does not depend on it.
  /// - Throws: The error of the source.
  package init(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) {
    let countings = ReportCounting.countings(of: selection, for: query)
    let counts = try ProjectionFold.counts(
      of: source, catalog: catalog, flows: flows, countings: countings.map(\.counting), threads: threads)
    self.init(query: query, selection: selection, countings: countings, counts: counts)
    crowdedUsers = source.crowdedUsers
    assert(answers.allSatisfy(\.areConsistent), "each group is counted once")
  }

  /// Computes the selected named reports for each of several queries.
  ///
  /// Queries with the same `now` share one pass over the event sequences.
  ///
  /// - Parameters:
  ///   - source: The event sequences up to the latest `now` of the queries.
  ///   - queries: The queries. One with an earlier `now` ignores the events after it.
  /// - Returns: A report for each query, in the same order.
  /// - Throws: The error of the source.
  package static func reports(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, queries: [ReportQuery], selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) -> [Report] {
    let latest = queries.map(\.now).max()
    var answers: [Int: Report] = [:]
    for now in Set(queries.map(\.now)).sorted() {
      let indices = queries.indices.filter { queries[$0].now == now }
      let own = indices.map { queries[$0] }
      let computed =
        now == latest
        ? try reports(ofPresent: source, catalog, flows, own, selection, threads)
        : try reports(ofPresent: EarlierSequences(at: now, of: source), catalog, flows, own, selection, threads)
      for (index, report) in zip(indices, computed) { answers[index] = report }
    }
    assert(answers.count == queries.count, "each query has a report")
    return queries.indices.compactMap { answers[$0] }
  }

  /// Computes the selected named reports for several queries in one pass over the event sequences.
  private static func reports(
    ofPresent source: some SequenceSource, _ catalog: FlowCatalog, _ flows: Set<Int>, _ queries: [ReportQuery],
    _ selection: ReportSelection, _ threads: Int
  ) throws(FunnelError) -> [Report] {
    let countings = queries.map { ReportCounting.countings(of: selection, for: $0) }
    var counts = try ProjectionFold.counts(
      of: source, catalog: catalog, flows: flows, countings: countings.flatMap { $0.map(\.counting) }, threads: threads)[...]
    return zip(queries, countings).map { query, countings in
      let own = Array(counts.prefix(countings.count))
      counts = counts.dropFirst(countings.count)
      var report = Report(query: query, selection: selection, countings: countings, counts: own)
      report.crowdedUsers = source.crowdedUsers
      return report
    }
  }

  /// Creates a report from counts.
  ///
  /// - Parameter counts: The counts of each flow version, for each element of `countings`.
  init(query: ReportQuery, selection: ReportSelection, countings: [ReportCounting], counts: [[FlowCounts]]) {
    self.query = query
    let answered = zip(countings, counts).flatMap { $0.answers(from: $1, namedIn: selection.names) }
    answers = selection.names.compactMap { name in answered.first { $0.name == name } }
    entries = zip(countings, counts).lazy.compactMap { $0.entries(from: $1) }.first ?? []
    // A state may contain the counts of reports that are not selected.
    let hasGrants = selection.reports.contains { $0 == GrantsReport.self }
    let hasOthers = selection.reports.isEmpty || selection.reports.contains { $0 != GrantsReport.self }
    coverage = zip(countings, counts).flatMap { $0.coverage(from: $1) }.filter { $0.permission == nil ? hasOthers : hasGrants }
    if selection.reports.contains(where: ReportCounting.bringsFunnelNotes) {
      funnelRows = zip(countings, counts).flatMap { $0.funnelRows(from: $1) }
      late = zip(countings, counts).flatMap { $0.late(from: $1) }
    }
    if selection.reports.contains(where: { $0 == FunnelReport.self }) {
      otherOrder = zip(countings, counts).flatMap { $0.otherOrder(from: $1) }
    }
    mixed = zip(countings, counts).lazy.compactMap { $0.mixed(from: $1) }.first ?? []
  }

  /// The rows of a named report, or `nil` if it is not selected.
  package subscript<Named: NamedReport>(report: Named.Type) -> [Named.Row]? {
    get {
      for case let answer as ReportRows<Named> in answers { return answer.rows }
      return nil
    }
    set {
      answers.removeAll { $0 is ReportRows<Named> }
      guard let newValue else { return }
      let order = ReportSelection.allNames
      answers.append(ReportRows<Named>(rows: newValue))
      answers.sort { (order.firstIndex(of: $0.name) ?? order.count) < (order.firstIndex(of: $1.name) ?? order.count) }
    }
  }

  /// Returns the noun for the groups of a flow or of several versions of it.
  func noun(of flow: FlowReference) -> CountedNoun {
    let counted = entries.map(\.flow).filter {
      $0.app == flow.app && $0.flow == flow.flow && (flow.version == nil || flow.version == $0.version)
    }
    return counted.isEmpty
      ? CountedNoun(of: query, nil) : CountedNoun(joining: counted.map { CountedNoun(of: query, $0) })
  }

  /// Whether no flow has a row in any named report.
  package var isEmpty: Bool { answers.allSatisfy { $0.count == 0 } }

  /// The report without its named reports, for formats that print only its notes.
  package var withoutRows: Report {
    var report = self
    report.answers = []
    return report
  }

  /// A report for each selected named report.
  package var separated: [(name: String, report: Report)] {
    answers.map { answer in
      var report = self
      report.answers = [answer]
      return (answer.name, report)
    }
  }

  /// Returns whether a named report is the only one of the report.
  package func consists(of report: any NamedReport.Type) -> Bool { answers.map(\.name) == [report.name] }
}
