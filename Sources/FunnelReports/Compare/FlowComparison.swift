import FunnelModel
import FunnelProjections

/// The sides of a comparison in one flow version, from which its rows are made: one for each pair of the baseline and another side.
public struct FlowComparison: Sendable {
  /// The facts about a flow version that all its rows share.
  public struct Context: Hashable, Sendable {
    /// The conversion window, in milliseconds.
    public var windowMilliseconds: Int64 = 0
    /// Whether the sides are periods that are compared at the same age.
    public var isSameAge = false
    /// The title of the whole baseline, if only its beginning is as old as the later period.
    public var cutBaseline: String?
    /// Not nil if the two periods have different days of the week.
    public var differentWeekdays: Weekdays?
    /// The moment as of which the baseline was looked at, in words, if that is one moment.
    public var baselineMoment: String?
    /// The number of groups that have no value of the key and are on no side.
    public var withoutValue = 0
    /// The number of groups without a value at the first step that have one later.
    public var withLaterValue = 0
    /// The number of groups that have another value of the key and are on no side.
    public var withOtherValue = 0
    /// The share of all groups of the flow version that completed, whatever their values are.
    public var wholeFlow = ComparedShare(0, of: 0)
    /// Whether groups that are in progress are counted too.
    public var countsOpenGroups = false
    /// Whether groups with the values of several sides are left out.
    public var dropsMixed = false
    /// Whether groups without a value at the first step count by the first one that is known later.
    public var takesLaterValues = false

    /// The number of people behind the attempts or entries of the flow, or nil if people are counted, or periods compared.
    public var people: Int?
    /// Whether each group counts from its start that went farthest.
    public var takesBestStart = false

    public init() {}

    /// Two periods with different days of the week.
    public struct Weekdays: Hashable, Sendable {
      /// An earlier period with the same days of the week as the later one, as `--versus` takes it, or nil if there is none in whole days.
      public let sameDaysEarlier: String?

      public init(sameDaysEarlier: String?) { self.sameDaysEarlier = sameDaysEarlier }
    }
  }

  let key: RowKey
  let title: String
  let by: ComparedBy
  let noun: CountedNoun
  /// The sides, the baseline first.
  let sides: [ComparisonSide]
  let context: Context

  init(
    key: RowKey, title: String, by: ComparedBy, noun: CountedNoun, sides: [ComparisonSide], context: Context = Context()
  ) {
    precondition(sides.count > 1, "a comparison has a baseline and another side")
    self.key = key
    self.title = title
    self.by = by
    self.noun = noun
    self.sides = sides
    self.context = context
  }

  /// Returns a row for each side but the baseline; none if no group of any side entered the flow.
  func rows(_ settings: ComparisonSettings) -> [ComparisonRow] {
    guard sides.contains(where: { $0.entered + $0.inProgress > 0 }) else { return [] }
    let rows = sides.dropFirst().map { side in
      var row = ComparisonRow(sides[0], side, of: self, settings)
      for index in row.metrics.indices where row.metrics[index].comparison != nil {
        addSampleSize(to: &row.metrics[index], settings)
        if let strata = settings.strata { addStrata(to: &row.metrics[index], by: strata, side) }
      }
      return row
    }
    return Self.corrected(rows)
  }

  // MARK: - Sample size

  private func addSampleSize(to metric: inout ComparisonMetric, _ settings: ComparisonSettings) {
    guard let rate = metric.a?.rate?.value else { return }
    metric.neededPerSide = SampleSize.perSide(from: rate, detecting: settings.change)
    metric.neededDays = metric.neededPerSide.flatMap { days(forEachSide: $0) }
  }

  /// Returns the days in which all sides together have a number of groups each, at the mean rate of entries of the counted days, or nil if
  /// there is no such rate.
  private func days(forEachSide needed: Int) -> Int? {
    let days = sides.compactMap(\.days)
    guard by.hasEntriesPerDay, let first = days.map(\.lowerBound).min(), let last = days.map(\.upperBound).max() else {
      return nil
    }
    let counted = last.daysSinceEpoch - first.daysSinceEpoch + 1
    let entered = sides.reduce(0) { $0 + $1.entered }
    guard entered > 0 else { return nil }
    return Int(exactly: (Double(needed) * Double(sides.count) * Double(counted) / Double(entered)).rounded(.up))
  }

  // MARK: - Strata

  private func addStrata(to metric: inout ComparisonMetric, by strata: Dimension, _ side: ComparisonSide) {
    // The stratum is the last dimension, after the key, if one is compared by.
    let index = if case .key = by { 1 } else { 0 }
    let (a, b) = (sides[0].byStratum(at: index), side.byStratum(at: index))
    let name = metric.name
    let both = a.keys.filter { b[$0] != nil }.sorted().compactMap { value -> TwoProportions? in
      guard let shareA = a[value]?.share(of: name), let shareB = b[value]?.share(of: name) else { return nil }
      return ComparedShare.proportions(shareA, shareB)
    }
    metric.stratified = StratifiedComparison(both)
  }

  // MARK: - Correction

  /// Returns rows with corrected p values: those of the primary metric for the number of sides that are compared with the baseline, and all
  /// others together.
  private static func corrected(_ rows: [ComparisonRow]) -> [ComparisonRow] {
    var rows = rows
    let tested = rows.indices.flatMap { row in
      rows[row].metrics.indices.filter { rows[row].metrics[$0].comparison != nil }.map { (row: row, metric: $0) }
    }
    for isPrimary in [true, false] {
      let own = tested.filter { rows[$0.row].metrics[$0.metric].isPrimary == isPrimary }
      let comparisons = own.compactMap { rows[$0.row].metrics[$0.metric].comparison }
      let p = HolmCorrection.adjusted(comparisons.map(\.p))
      let anytime = HolmCorrection.adjusted(comparisons.map(\.anytime.p))
      for (index, place) in own.enumerated() {
        rows[place.row].metrics[place.metric].holmP = p[index]
        rows[place.row].metrics[place.metric].anytimeHolmP = anytime[index]
      }
    }
    return rows
  }
}

extension ComparisonRow {
  /// Returns the metrics whose difference is more than chance if all tests of some rows are corrected together, those of the primary metrics
  /// among them: for readers who did not choose one. Two metrics of the same counts are one.
  static func significantTogether(in rows: [ComparisonRow]) -> [(row: ComparisonRow, metric: ComparisonMetric)] {
    var tested: [(row: ComparisonRow, metric: ComparisonMetric)] = []
    for row in rows {
      var known: Set<[ComparedShare?]> = []
      for metric in row.metrics where metric.comparison != nil && known.insert([metric.a, metric.b]).inserted {
        tested.append((row, metric))
      }
    }
    let adjusted = HolmCorrection.adjusted(tested.compactMap { $0.metric.comparison?.p })
    return zip(tested, adjusted).filter { $1 <= ComparisonMetric.alpha }.map(\.0)
  }
}
