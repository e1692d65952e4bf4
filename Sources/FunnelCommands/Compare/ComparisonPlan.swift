import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The plan of a comparison: the queries to run, and how their reports become the sides of one comparison.
struct ComparisonPlan {
  /// The property in which the sides differ.
  enum Sides {
    /// Values of the query's dimension. `nil` means every value that a group has.
    case values(asked: [ConditionItem]?)
    /// Versions of the flow, the baseline first.
    case versions([Int])
    /// Two periods.
    case periods(baseline: ComparedPeriod, later: ComparedPeriod)
  }

  /// The query of the command line.
  private let asked: ReportQuery
  private let sides: Sides
  private let settings: ComparisonSettings

  init(_ query: ReportQuery, _ sides: Sides, _ settings: ComparisonSettings) {
    asked = query
    self.sides = sides
    self.settings = settings
  }

  /// The query that counts the groups: that of the command line, segmented by the strata, and by day if
  /// ``countsDays``.
  private var query: ReportQuery {
    var query = asked
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
  ///
  /// For values and versions: the query itself; if it is limited to closed windows, the same with open ones; if
  /// groups are not people, one that counts people. For periods, see ``PeriodQueries/all``.
  func questions(about flows: [FlowDefinition]) -> [ReportQuery] {
    switch sides {
    case .values, .versions:
      [query] + (asked.isMature ? [query.withOpenGroups] : []) + (countsPeople(of: flows) ? [query.countingPeople] : [])
    case .periods(let baseline, let later):
      PeriodQueries(query, baseline: baseline, later: later, flows: flows).all
    }
  }

  /// Whether people are counted in addition to attempts or entries, to check that these are independent.
  private func countsPeople(of flows: [FlowDefinition]) -> Bool {
    flows.contains { CountedNoun(of: asked, $0) != .people }
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
  /// - Parameter answer: The response to ``questions(about:)``.
  /// - Throws: `usage` if the groups do not have the values to compare.
  func comparison(of answer: ReportResponse) throws(FunnelError) -> Report {
    let flows = answer.definitions
    let all = asked.isMature && answer.reports.count > 1 ? answer.reports[1] : nil
    let people = countsPeople(of: flows) ? answer.reports.last : nil
    switch sides {
    case .values(let items):
      // Values come from all groups, because a value that only open groups have is not a typing error.
      let values = ComparedValues(
        key: asked.by[0], SegmentSizes(of: all ?? answer.report, flows: flows), attribution: asked.attribution)
      let sides = if let items { try values.named(items) } else { try values.all() }
      return answer.report.comparison(ofValues: sides, all: all, people: people, settings, flows: flows)
    case .versions(let versions):
      return answer.report.comparison(ofVersions: versions, all: all, people: people, settings, flows: flows)
    case .periods(let baseline, let later):
      let questions = PeriodQueries(query, baseline: baseline, later: later, flows: flows)
      var report = answer.report.comparison(
        ofPeriods: { questions.pair(for: $0, of: answer.reports) }, settings, flows: flows)
      // The period of --versus may be the later one.
      report.query.since = asked.since
      report.query.until = asked.until
      return report
    }
  }

  // MARK: - Checks

  /// Checks that some flow has the compared metric and versions.
  ///
  /// - Throws: `usage` if no flow has them.
  func check(_ answer: ReportResponse) throws(FunnelError) {
    try requireMetric(of: answer)
    try requireVersions(of: answer)
  }

  private func requireMetric(of answer: ReportResponse) throws(FunnelError) {
    let metric = settings.primaryMetric
    let entered = Set(answer.report.entries.filter { $0.groups > $0.outsiders }.map(\.flow.reference))
    let known = answer.definitions.filter { entered.contains($0.reference) }
    var names: [String] = []
    for name in (known.isEmpty ? answer.definitions : known).flatMap(ComparisonRow.primaryNames) where !names.contains(name) {
      names.append(name)
    }
    guard !names.isEmpty, !names.contains(metric) else { return }
    let isLastStep = answer.definitions.contains { flow in
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

  private func requireVersions(of answer: ReportResponse) throws(FunnelError) {
    guard case .versions(let versions) = sides else { return }
    let known = Self.versions(of: answer.definitions)
    guard !known.contains(where: { $0.versions.isSuperset(of: versions) }) else { return }
    let list = versions.map(String.init).joined(separator: ",")
    let problem = "no flow has \(versions.count == 2 ? "both" : "all these") versions, --versions \(list)"
    let names = Set(known.map(\.name))
    let all = Self.versions(of: answer.flows.catalog.definitions).filter { names.contains($0.name) }
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

extension ReportQuery {
  /// The query that counts people with any start in the period, not only their first.
  fileprivate var countingPeople: ReportQuery {
    var query = self
    query.countBy = .subject
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
