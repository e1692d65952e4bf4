import FunnelModel
import FunnelProjections
import FunnelRendering

/// The sides of a comparison in one flow version. Each side other than the baseline becomes a row of the report.
package struct FlowComparison: Sendable {
  /// The data that all rows of a flow version share.
  package struct Context: Hashable, Sendable {
    /// The conversion window, in milliseconds.
    package var windowMilliseconds: Int64 = 0
    /// The comparison of two periods at the same age, or `nil` if their whole windows or other sides are compared.
    package var sameAge: SameAge?
    /// A mismatch of the periods' days of the week, or `nil` if there is none.
    package var differentWeekdays: Weekdays?
    /// The number of groups that have no value of the key and are on no side.
    package var withoutValue = 0
    /// The number of groups without a value at the first step that have one later.
    package var withLaterValue = 0
    /// The number of groups that have another value of the key and are on no side.
    package var withOtherValue = 0
    /// The share of the groups that completed, among all groups of the flow version.
    package var wholeFlow = ComparedShare(0, of: 0)
    /// Whether groups in progress are included.
    package var countsOpenGroups = false
    /// Whether groups with the values of several sides are excluded.
    package var dropsMixed = false
    /// Whether groups without a value at the first step use their first later value.
    package var takesLaterValues = false

    /// The number of people who made the attempts or entries of the flow, or `nil` if it is not needed: people
    /// are counted, or periods are compared.
    package var people: Int?
    /// Whether each group is anchored at the start that led farthest.
    package var takesBestStart = false

    package init() {}

    /// Whether the sides are periods that are compared at the same age.
    var isSameAge: Bool { sameAge != nil }

    /// The comparison of a baseline at the age that the later period has now.
    package struct SameAge: Hashable, Sendable {
      /// The moment up to which events of the baseline are used, in words, or `nil` if there is no single one.
      package let baselineMoment: String?
      /// The title of the whole baseline if only its beginning is compared, or `nil` if less than a day of it is excluded.
      package let cutBaseline: String?

      package init(baselineMoment: String? = nil, cutBaseline: String? = nil) {
        self.baselineMoment = baselineMoment
        self.cutBaseline = cutBaseline
      }
    }

    /// Two periods with different days of the week.
    package struct Weekdays: Hashable, Sendable {
      /// An earlier period with the same days of the week as the later one, as an argument of `--versus`, or
      /// `nil` if the later one does not begin at midnight.
      package let sameDaysEarlier: String?

      package init(sameDaysEarlier: String?) { self.sameDaysEarlier = sameDaysEarlier }
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

  /// Returns a row for each side other than the baseline, or no rows if no group entered the flow.
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

  /// Returns the number of days until each side has a number of groups, at the mean rate of entries, or `nil`
  /// if the rate is unknown.
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
    // The stratum is the last dimension. If a key is compared, the key comes first.
    let index = if case .key = by { 1 } else { 0 }
    let a = sides[0].byStratum(at: index)
    let b = side.byStratum(at: index)
    let id = metric.id
    let both = a.keys.filter { b[$0] != nil }.sorted().compactMap { value -> TwoProportions? in
      guard let shareA = a[value]?.share(of: id), let shareB = b[value]?.share(of: id) else { return nil }
      return ComparedShare.proportions(shareA, shareB)
    }
    metric.stratified = StratifiedComparison(both)
  }

  // MARK: - Correction

  /// Returns the rows with Holm-corrected p values. The primary metrics of all rows are one family of tests,
  /// all other metrics another.
  private static func corrected(_ rows: [ComparisonRow]) -> [ComparisonRow] {
    var rows = rows
    let tested = rows.indices.flatMap { row in
      rows[row].metrics.indices.filter { rows[row].metrics[$0].comparison != nil }.map { (row: row, metric: $0) }
    }
    for isPrimary in [true, false] {
      let own = tested.filter { rows[$0.row].metrics[$0.metric].isPrimary == isPrimary }
      let comparisons = own.compactMap { rows[$0.row].metrics[$0.metric].comparison }
      assert(comparisons.count == own.count, "a tested metric has a comparison")
      let p = HolmCorrection.adjusted(comparisons.map(\.p))
      let anytime = HolmCorrection.adjusted(comparisons.map(\.anytime.p))
      for (index, test) in own.enumerated() {
        rows[test.row].metrics[test.metric].holmP = p[index]
        rows[test.row].metrics[test.metric].anytimeHolmP = anytime[index]
      }
    }
    return rows
  }
}

extension ComparisonRow {
  /// Returns the metrics with a significant difference after a correction over all tests of all rows, primary or not.
  ///
  /// This is for readers who did not choose a primary metric. Metrics of a row with equal counts are one test.
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
