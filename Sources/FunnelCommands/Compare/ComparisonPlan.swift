import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The plan of a comparison: the queries to run, and how their reports become the sides of one comparison.
struct ComparisonPlan {
  /// The property in which the sides differ.
  enum Sides {
    /// Values of the query's dimension. `nil` means every value that a group has.
    case values(named: [ConditionItem]?)
    /// Versions of the flow, the baseline first.
    case versions([Int])
    /// Two periods.
    case periods(baseline: ComparedPeriod, later: ComparedPeriod)
  }

  /// The note on a comparison of periods that overlap.
  static let overlapNote = "the two periods overlap: who began in both counts on both sides, and the p values are too small"

  /// The query of the command line.
  private let requested: ReportQuery
  private let sides: Sides
  private let settings: ComparisonSettings

  init(_ query: ReportQuery, _ sides: Sides, _ settings: ComparisonSettings) {
    requested = query
    self.sides = sides
    self.settings = settings
  }

  /// The query that counts the groups: that of the command line, segmented by the strata, and by day if
  /// ``countsDays``.
  private var query: ReportQuery {
    var query = requested
    if let strata = settings.strata { query.by.append(strata) }
    if countsDays { query.every = .day }
    return query
  }

  /// The reports that are computed for the comparison.
  var selection: ReportSelection { countsDays ? .comparisonByDay : .comparison }

  /// Whether entries are counted by day, to check that the sides entered over the same days.
  private var countsDays: Bool {
    switch sides {
    case .values, .periods: true
    case .versions: false
    }
  }

  /// Returns the queries to run for some flow versions.
  func queries(about flows: [FlowDefinition]) -> [ReportQuery] {
    switch sides {
    case .values, .versions: SideQueries(query, flows: flows).all
    case .periods(let baseline, let later): PeriodQueries(query, baseline: baseline, later: later, flows: flows).all
    }
  }

  /// The query whose period covers those of all queries.
  var reading: ReportQuery {
    guard case .periods(let baseline, let later) = sides else { return query }
    var reading = query
    reading.since = min(baseline.range.lowerBound, later.range.lowerBound)
    reading.until = max(baseline.range.upperBound, later.range.upperBound)
    return reading
  }

  /// Whether the two periods overlap, in which case a group may count on both sides.
  var hasOverlap: Bool {
    if case .periods(let baseline, let later) = sides { baseline.range.overlaps(later.range) } else { false }
  }

  /// Returns the comparison of the sides.
  ///
  /// - Parameter response: The response to ``queries(about:)``.
  /// - Throws: `usage` if the groups do not have the values to compare.
  func comparison(of response: ReportResponse) throws(FunnelError) -> Report {
    let flows = response.definitions
    switch sides {
    case .values(let items):
      let reports = SideQueries(query, flows: flows).reports(of: response)
      // Values come from all groups, because a value that only open groups have is not a typing error.
      let sizes = SegmentSizes(of: reports.withOpenGroups ?? reports.counted, flows: flows)
      let values = ComparedValues(key: requested.by[0], sizes, attribution: requested.attribution)
      let sides = if let items { try values.named(items) } else { try values.all() }
      return reports.counted.comparison(
        ofValues: sides, all: reports.withOpenGroups, people: reports.people, settings, flows: flows)
    case .versions(let versions):
      let reports = SideQueries(query, flows: flows).reports(of: response)
      return reports.counted.comparison(
        ofVersions: versions, all: reports.withOpenGroups, people: reports.people, settings, flows: flows)
    case .periods(let baseline, let later):
      let queries = PeriodQueries(query, baseline: baseline, later: later, flows: flows)
      var report = response.report.comparison(
        ofPeriods: { queries.pair(for: $0, of: response.reports) }, settings, flows: flows)
      // The period of --versus may be the later one.
      report.query.since = requested.since
      report.query.until = requested.until
      return report
    }
  }

  // MARK: - Checks

  /// Checks that some flow has the compared metric and versions.
  ///
  /// - Throws: `usage` if no flow has them.
  func check(_ response: ReportResponse) throws(FunnelError) {
    try requireMetric(of: response)
    try requireVersions(of: response)
  }

  private func requireMetric(of response: ReportResponse) throws(FunnelError) {
    let metric = settings.primaryMetric
    let entered = Set(response.report.entries.filter { $0.groups > $0.outsiders }.map(\.flow.reference))
    let known = response.definitions.filter { entered.contains($0.reference) }
    var names: [String] = []
    for name in (known.isEmpty ? response.definitions : known).flatMap(ComparisonRow.primaryNames) where !names.contains(name) {
      names.append(name)
    }
    guard !names.isEmpty, !names.contains(metric) else { return }
    let isLastStep = response.definitions.contains { flow in
      flow.requiredSteps.last.map { "reached:\(flow.steps[$0].id)" } == metric
    }
    let remedy =
      isLastStep
      ? "to reach the last step is to convert, write --metric conversion"
      : NearestName.find(metric, in: names.sorted()).map { "did you mean \($0)?" }
        ?? "give one of \(names.sorted().prefix(Self.namesShownMax).joined(separator: ", "))"
    throw FunnelError(.usage, "no such number, --metric \(metric.printable), \(remedy)")
  }

  /// The largest number of names that an error lists.
  private static let namesShownMax = 10

  private func requireVersions(of response: ReportResponse) throws(FunnelError) {
    guard case .versions(let versions) = sides else { return }
    let known = Self.versions(of: response.definitions)
    guard !known.contains(where: { $0.versions.isSuperset(of: versions) }) else { return }
    let list = versions.map(String.init).joined(separator: ",")
    let problem = "no flow has \(versions.count == 2 ? "both" : "all these") versions, --versions \(list)"
    let names = Set(known.map(\.name))
    let all = Self.versions(of: response.flows.catalog.definitions).filter { names.contains($0.name) }
    if let cut = all.first(where: { $0.versions.isSuperset(of: versions) }) {
      throw FunnelError(.usage, "\(problem), name the flow without its version: --flow \(cut.name)")
    }
    let several = all.filter { $0.versions.count > 1 }
    let shown = (several.isEmpty ? all : several).prefix(Self.namesShownMax).map {
      "\($0.name) has \($0.versions.sorted().map(String.init).joined(separator: ", "))"
    }
    throw FunnelError(.usage, "\(problem), \(shown.joined(separator: "; "))")
  }

  /// Returns the versions of each flow, sorted by its name.
  private static func versions(of definitions: [FlowDefinition]) -> [(name: String, versions: Set<Int>)] {
    Dictionary(grouping: definitions) { "\($0.app)/\($0.flow)" }
      .map { (name: $0.key, versions: Set($0.value.map(\.version))) }.sorted { $0.name < $1.name }
  }
}

/// The queries for a comparison of values or versions, and the choice of their reports.
private struct SideQueries {
  /// The query whose groups are compared.
  private let counted: ReportQuery
  /// The same query with open windows, or `nil` if it has them.
  private let withOpenGroups: ReportQuery?
  /// The query that counts people, to check that attempts or entries are independent. `nil` if groups are people.
  private let people: ReportQuery?

  init(_ query: ReportQuery, flows: [FlowDefinition]) {
    counted = query
    withOpenGroups = query.isMature ? query.withOpenGroups : nil
    people = flows.contains { CountedNoun(of: query, $0) != .people } ? query.countingPeople : nil
  }

  /// The queries, in the order that ``reports(of:)`` expects.
  var all: [ReportQuery] { [counted] + [withOpenGroups, people].compactMap(\.self) }

  /// Returns the reports of a response to ``all``.
  func reports(of response: ReportResponse) -> (counted: Report, withOpenGroups: Report?, people: Report?) {
    precondition(response.reports.count == all.count, "each query has a report")
    var further = response.reports.dropFirst()
    let withOpenGroups = self.withOpenGroups == nil ? nil : further.popFirst()
    let people = self.people == nil ? nil : further.popFirst()
    return (response.report, withOpenGroups, people)
  }
}

extension ReportQuery {
  /// The query that counts people with any start in the period, not only their first.
  fileprivate var countingPeople: ReportQuery {
    var query = self
    query.countBy = .person
    query.anchor = .best
    return query
  }

  /// The query that includes groups whose conversion window is still open.
  var withOpenGroups: ReportQuery {
    var query = self
    query.isMature = false
    return query
  }
}
