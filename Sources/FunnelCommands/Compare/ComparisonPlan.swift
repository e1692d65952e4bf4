import FunnelModel
import FunnelReports

/// The questions of a comparison, and how their answers become its sides.
struct ComparisonPlan {
  /// What tells the sides apart.
  enum Sides {
    /// Values of the query's dimension; nil if they are those that the groups have.
    case values(asked: [ConditionItem]?)
    case versions([Int])
    case periods(baseline: ComparedPeriod, later: ComparedPeriod)
  }

  /// The query as it was asked.
  private let asked: ReportQuery
  private let sides: Sides
  private let settings: ComparisonSettings

  init(_ query: ReportQuery, _ sides: Sides, _ settings: ComparisonSettings) {
    asked = query
    self.sides = sides
    self.settings = settings
  }

  /// The query that groups are counted by: with the strata, and by day if days are counted.
  private var query: ReportQuery {
    var query = asked
    if let strata = settings.strata { query.by.append(strata) }
    if countsDays { query.every = .day }
    return query
  }

  /// The reports whose rows are compared.
  var selection: ReportSelection { countsDays ? .comparisonByDay : .comparison }

  /// Whether entries are counted by day, to see whether both sides entered at the same time.
  private var countsDays: Bool {
    switch sides {
    case .values, .periods: true
    case .versions: false
    }
  }

  /// Returns the queries to count by for some flow versions: that of the groups that count, and that of those in progress too.
  func questions(about flows: [FlowDefinition]) -> [ReportQuery] {
    switch sides {
    case .values, .versions:
      [query] + (asked.isMature ? [query.withOpenGroups] : []) + (countsPeople(of: flows) ? [query.countingPeople] : [])
    case .periods(let baseline, let later):
      PeriodQueries(query, baseline: baseline, later: later, flows: flows).all
    }
  }

  /// Whether people are counted besides attempts or entries, to see whether these are independent.
  private func countsPeople(of flows: [FlowDefinition]) -> Bool {
    flows.contains { CountedNoun(of: asked, $0) != .people }
  }

  /// The query whose period includes those of all questions.
  var reading: ReportQuery {
    guard case .periods(let baseline, let later) = sides else { return query }
    var reading = query
    reading.since = min(baseline.range.lowerBound, later.range.lowerBound)
    reading.until = max(baseline.range.upperBound, later.range.upperBound)
    return reading
  }

  /// Whether a group may count on both sides because of the moment it began.
  var hasOverlap: Bool {
    if case .periods(let baseline, let later) = sides { baseline.range.overlaps(later.range) } else { false }
  }

  /// Returns the comparison of the sides.
  ///
  /// - Throws: A usage error if the groups do not have the sides.
  func comparison(of answer: ReportResponse) throws(FunnelError) -> Report {
    let flows = answer.definitions
    let all = asked.isMature && answer.reports.count > 1 ? answer.reports[1] : nil
    let people = countsPeople(of: flows) ? answer.reports.last : nil
    switch sides {
    case .values(let items):
      // A value that only groups in progress have exists, but has nothing to compare yet.
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
      (report.query.since, report.query.until) = (asked.since, asked.until)
      return report
    }
  }

  // MARK: - What must be there

  /// Throws a usage error if no flow has what is compared, whatever the log holds.
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
  /// The query that counts the people who have a start in the period, whether it is their first or not.
  fileprivate var countingPeople: ReportQuery {
    var query = self
    query.countBy = .subject
    query.anchor = .best
    return query
  }

  /// The query with the groups whose window is still open.
  var withOpenGroups: ReportQuery {
    var query = self
    query.isMature = false
    return query
  }
}
