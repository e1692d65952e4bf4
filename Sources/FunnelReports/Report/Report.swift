public import FunnelIndex
public import FunnelModel
public import FunnelProjections

/// A report: the query, and the rows of each selected named report.
public struct Report: Sendable {
  public var query: ReportQuery
  /// The selected named reports with their rows, in the order of the registry.
  var answers: [any AnyAnswer]
  /// The parts of the log that could not be read; nil if everything that was needed could be.
  public var damage: ReportDamage?
  /// The sentences that stand first on a page: alarms that these numbers raised.
  public var alarms: [String] = []
  /// How many groups of each flow version are in no number, because they never enter its first step.
  public var entries: [FlowEntries] = []
  /// Sentences about the log that tables and pages show beside the notes; standard error has them in lines of their own.
  public var logNotes: [String] = []
  /// The rows of the funnel, also of a report that does not show them, for notes on what its numbers leave out.
  var funnelRows: [FunnelRow] = []
  /// How many groups of each flow version have the keys of the query, at their anchor and at their pre-prompts; empty if it has none.
  public var coverage: [KeyCoverage] = []
  /// The keys of the query, as stored dimensions, that no event of the log has.
  public var keysWithoutValue: Set<Dimension> = []
  /// The groups with several values of a key of the query's `by`, by flow version and segment; empty unless the selection counts them.
  public var mixed: [MixedGroups] = []
  /// The number of subjects that are left out because the store lists them as internal.
  public var internalSubjects = 0
  /// The contents of the log, in sentences, if the report has no row.
  public var logContents: [String] = []
  /// Why there is no row whatever the log has, as a clause, such as that no flow locks features; nil if there may be some.
  public var emptinessReason: String?

  /// Creates a report without rows of any named report.
  public init(query: ReportQuery) {
    self.query = query
    answers = []
  }

  /// Computes the selected named reports in one pass over the histories.
  ///
  /// - Parameters:
  ///   - source: The histories.
  ///   - catalog: The flow definitions in force; rows are in its order, which is that of specification section 5.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - threads: The number of threads. It never changes the report.
  /// - Throws: The error of the source.
  public init(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) {
    let countings = ReportCounting.countings(of: selection, for: query)
    let counts = try ProjectionFold.counts(
      of: source, catalog: catalog, flows: flows, countings: countings.map(\.counting), threads: threads)
    self.init(query: query, selection: selection, countings: countings, counts: counts)
  }

  /// Computes the selected named reports for each of several queries. Queries with the same present are answered in one pass over the
  /// histories.
  ///
  /// - Parameters:
  ///   - source: The histories up to the latest present of the queries.
  ///   - queries: The queries. One with an earlier present than others is answered as of that moment.
  /// - Returns: A report for each query.
  /// - Throws: The error of the source.
  public static func reports(
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
    return queries.indices.compactMap { answers[$0] }
  }

  /// Computes the selected named reports for several queries in one pass over the histories.
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
      return Report(query: query, selection: selection, countings: countings, counts: own)
    }
  }

  /// Creates a report of counts.
  ///
  /// - Parameter counts: The counts of each flow version, for each of the countings.
  init(query: ReportQuery, selection: ReportSelection, countings: [ReportCounting], counts: [[FlowCounts]]) {
    self.query = query
    let answered = zip(countings, counts).flatMap { $0.answers(from: $1, namedIn: selection.names) }
    answers = selection.names.compactMap { name in answered.first { $0.name == name } }
    entries = zip(countings, counts).lazy.compactMap { $0.entries(from: $1) }.first ?? []
    // A state may have been counted for other reports too.
    let hasGrants = selection.reports.contains { $0 == GrantsReport.self }
    let hasOthers = selection.reports.isEmpty || selection.reports.contains { $0 != GrantsReport.self }
    coverage = zip(countings, counts).flatMap { $0.coverage(from: $1) }.filter { $0.permission == nil ? hasOthers : hasGrants }
    if selection.reports.contains(where: ReportCounting.bringsFunnelNotes) {
      funnelRows = zip(countings, counts).flatMap { $0.funnelRows(from: $1) }
    }
    mixed = zip(countings, counts).lazy.compactMap { $0.mixed(from: $1) }.first ?? []
  }

  /// The rows of a named report, or nil if it was not selected.
  public subscript<Named: NamedReport>(report: Named.Type) -> [Named.Row]? {
    get {
      for case let answer as Answer<Named> in answers { return answer.rows }
      return nil
    }
    set {
      answers.removeAll { $0 is Answer<Named> }
      guard let newValue else { return }
      let order = ReportSelection.allNames
      answers.append(Answer<Named>(rows: newValue))
      answers.sort { (order.firstIndex(of: $0.name) ?? order.count) < (order.firstIndex(of: $1.name) ?? order.count) }
    }
  }

  /// Returns the noun of what is counted of a flow, or of several versions of it.
  func noun(of flow: FlowName) -> CountedNoun {
    let counted = entries.map(\.flow).filter {
      $0.app == flow.app && $0.flow == flow.flow && (flow.version == nil || flow.version == $0.version)
    }
    return counted.isEmpty
      ? CountedNoun(of: query, nil) : CountedNoun(joining: counted.map { CountedNoun(of: query, $0) })
  }

  /// Whether no flow has a row in any named report.
  public var isEmpty: Bool { answers.allSatisfy { $0.count == 0 } }

  /// The report without its named reports, for notes on the query and the log alone.
  public var withoutRows: Report {
    var report = self
    report.answers = []
    return report
  }

  /// The selected named reports, each alone.
  public var separated: [(name: String, report: Report)] {
    answers.map { answer in
      var report = self
      report.answers = [answer]
      return (answer.name, report)
    }
  }

  /// Returns whether the report consists of one named report.
  public func consists(of report: any NamedReport.Type) -> Bool { answers.map(\.name) == [report.name] }
}
