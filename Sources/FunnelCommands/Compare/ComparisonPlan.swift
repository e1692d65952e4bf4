import FunnelModel
import FunnelReports

/// The questions of a comparison, and how their answers become its two sides.
struct ComparisonPlan {
  /// What tells the sides apart.
  enum Sides {
    /// Two values of the query's dimension; nil if they are those that the groups have.
    case values(asked: [ConditionItem]?, ratio: SideRatio)
    case versions((a: Int, b: Int))
    case periods(baseline: Range<Timestamp>, Range<Timestamp>)
  }

  private let query: ReportQuery
  private let sides: Sides

  init(_ query: ReportQuery, _ sides: Sides) {
    self.query = query
    self.sides = sides
  }

  /// The queries to count by: one, or for periods that of the query and that of the baseline.
  var questions: [ReportQuery] {
    guard case .periods(let baseline, _) = sides else { return [query] }
    var ofBaseline = query
    (ofBaseline.since, ofBaseline.until) = (baseline.lowerBound, baseline.upperBound)
    return [query, ofBaseline]
  }

  /// The query whose period includes those of all questions.
  var reading: ReportQuery {
    guard case .periods(let baseline, let period) = sides else { return query }
    var reading = query
    reading.since = min(baseline.lowerBound, period.lowerBound)
    reading.until = max(baseline.upperBound, period.upperBound)
    return reading
  }

  /// Whether a group may count on both sides because of the moment it began.
  var hasOverlap: Bool {
    if case .periods(let baseline, let period) = sides { baseline.overlaps(period) } else { false }
  }

  /// Returns the comparison of the sides.
  ///
  /// - Throws: A usage error if the groups do not have the sides.
  func comparison(of answer: ReportAnswer) throws(FunnelError) -> Report {
    switch sides {
    case .values(let asked, let ratio):
      let sizes = SegmentSizes(of: answer.report)
      let (a, b) = if let asked { try named(asked, sizes) } else { try only(sizes) }
      return answer.report.comparison(ofValues: a, b, ratio: ratio, flows: answer.definitions)
    case .versions(let (a, b)):
      return answer.report.comparison(ofVersions: a, b, flows: answer.definitions)
    case .periods(let baseline, let period):
      return answer.reports[0].comparison(
        versus: answer.reports[1], labels: (label(baseline), label(period)), flows: answer.definitions)
    }
  }

  // MARK: - Values

  private var key: String { query.by[0].description }

  /// Returns the sides that the user named.
  private func named(_ items: [ConditionItem], _ sizes: SegmentSizes) throws(FunnelError) -> (
    Report.ValueSide, Report.ValueSide
  ) {
    let sides = items.map { sizes.side(of: $0) }
    guard let a = sides[0], let b = sides[1] else {
      let missing = zip(items, sides).filter { $0.1 == nil }.map(\.0)
      let what = missing.map { $0.text.isEmpty ? "an absent \(key)" : "\(key)=\($0.text)" }
        .joined(separator: " or ")
      throw FunnelError(
        .usage,
        "no group has \(what), --sides \(ConditionItem.text(of: items)), \(advice(insteadOf: missing, sizes))".printable)
    }
    return (a, b)
  }

  /// Returns the nearest values, or all there are.
  private func advice(insteadOf missing: [ConditionItem], _ sizes: SegmentSizes) -> String {
    let values = sizes.mostFrequentFirst.map(\.value.description)
    let nearest = missing.filter { !$0.text.isEmpty }.compactMap { item in
      values.first { $0.lowercased() == item.text.lowercased() } ?? NearestName.find(item.text, in: values)
    }
    if nearest.count == missing.count { return "did you mean \(nearest.joined(separator: " and "))?" }
    return values.isEmpty ? "no group has any value of it" : "there are \(list(sizes))"
  }

  /// Returns the two values that the groups have.
  private func only(_ sizes: SegmentSizes) throws(FunnelError) -> (Report.ValueSide, Report.ValueSide) {
    let values = sizes.values.map(\.value)
    if values.count == 2 { return (Report.ValueSide([values[0]]), Report.ValueSide([values[1]])) }
    let without = sizes.groupsWithout == 0 ? "" : "; \(Quantity.counted(sizes.groupsWithout, "group")) without it"
    let message =
      switch values.count {
      case 0: "no group has a value, --by \(key), compare by another key\(without)"
      case 1: "only one value, --by \(key), \(list(sizes))\(without), compare by a key with two"
      default:
        "\(values.count) values, --by \(key), \(list(sizes))\(without), name two of them with --sides \(example(sizes))"
      }
    throw FunnelError(.usage, message.printable)
  }

  private static let valuesShownMax = 10

  /// Returns the values with their sizes, the most frequent first.
  private func list(_ sizes: SegmentSizes) -> String {
    let shown = sizes.mostFrequentFirst.prefix(Self.valuesShownMax).map {
      "\($0.value.description) (\(Quantity.count($0.groups)))"
    }
    let more = sizes.values.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(Quantity.count(more)) more" : "")
  }

  /// Returns the two most frequent values as `--sides` takes them.
  private func example(_ sizes: SegmentSizes) -> String {
    let items = sizes.mostFrequentFirst.prefix(2).map(\.value).sorted().map { ConditionItem($0.description) }
    return CommandHint.quoted(ConditionItem.text(of: items))
  }

  // MARK: - Versions and periods

  /// Throws a usage error if versions are compared and no flow has both, whatever the log holds.
  func requireVersions(of answer: ReportAnswer) throws(FunnelError) {
    guard case .versions(let (a, b)) = sides else { return }
    let asked = Self.versions(of: answer.definitions)
    guard !asked.contains(where: { $0.versions.isSuperset(of: [a, b]) }) else { return }
    let problem = "no flow has both versions, --versions \(a),\(b)"
    let names = Set(asked.map(\.name))
    let known = Self.versions(of: answer.flows.catalog.definitions).filter { names.contains($0.name) }
    if let cut = known.first(where: { $0.versions.isSuperset(of: [a, b]) }) {
      throw FunnelError(.usage, "\(problem), name the flow without its version: --flow \(cut.name)")
    }
    let several = known.filter { $0.versions.count > 1 }
    let shown = (several.isEmpty ? known : several).prefix(Self.valuesShownMax).map {
      "\($0.name) has \($0.versions.sorted().map(String.init).joined(separator: ", "))"
    }
    throw FunnelError(.usage, "\(problem), \(shown.joined(separator: "; "))")
  }

  /// Returns the versions of each flow, sorted by its name.
  private static func versions(of definitions: [FlowDefinition]) -> [(name: String, versions: Set<Int>)] {
    Dictionary(grouping: definitions) { "\($0.app)/\($0.flow)" }
      .map { (name: $0.key, versions: Set($0.value.map(\.version))) }.sorted { $0.name < $1.name }
  }

  private func label(_ period: Range<Timestamp>) -> String { "\(label(period.lowerBound))..\(label(period.upperBound))" }

  /// Returns the day that begins at a moment, or the moment if none does.
  private func label(_ moment: Timestamp) -> String {
    let day = query.timeZone.day(at: moment.milliseconds)
    if query.timeZone.midnight(of: day) == moment { return day.description }
    return moment.description.replacing(".000Z", with: "Z")
  }
}
