public import FunnelIndex
public import FunnelModel
import FunnelProjections

/// A report: the query, and the rows of each selected named report.
public struct Report: Sendable {
  public var query: ReportQuery
  /// The selected named reports with their rows, in the order of the registry.
  var answers: [any AnyAnswer]
  /// The parts of the log that could not be read; nil if everything that was needed could be.
  public var damage: ReportDamage?
  /// How many groups of each flow version are in no number, because they never enter its first step.
  public var entries: [FlowEntries] = []
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
    of source: some HistorySource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) {
    let countings = ReportCounting.countings(of: selection.reports, for: query)
    let counts = try ProjectionFold.counts(
      of: source, catalog: catalog, flows: flows, countings: countings.map(\.counting), threads: threads)
    self.init(query: query, selection: selection, countings: countings, counts: counts)
  }

  /// Creates a report of counts.
  ///
  /// - Parameter counts: The counts of each flow version, for each of the countings.
  init(query: ReportQuery, selection: ReportSelection, countings: [ReportCounting], counts: [[FlowCounts]]) {
    self.query = query
    let answered = zip(countings, counts).flatMap { $0.answers(from: $1, namedIn: selection.names) }
    answers = selection.names.compactMap { name in answered.first { $0.name == name } }
    entries = zip(countings, counts).lazy.compactMap { $0.entries(from: $1) }.first ?? []
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

  /// Whether no flow has a row in any named report.
  public var isEmpty: Bool { answers.allSatisfy { $0.count == 0 } }

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
