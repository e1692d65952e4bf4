import FunnelModel
import FunnelProjections
import FunnelRendering

/// The sentences of a comparison, without a full stop.
enum ComparisonText {
  /// Returns a warning if the sizes of the sides deviate from the intended ratio, or `nil` otherwise.
  static func warning(of row: ComparisonRow) -> String? {
    guard let sizes = row.sizes, row.isRatioSuspect else { return nil }
    let a = row.noun.counted(row.a.entered)
    let b = HumanNumbers.count(row.b.entered)
    return
      "\(row.a.title) has \(a) and \(row.b.title) has \(b), where a ratio of \(sizes.ratio) was intended: chi² \(HumanNumbers.statistic(sizes.result.chiSquared)), "
      + "\(HumanNumbers.probabilityClause(sizes.result.p)). Find out why before you trust anything below"
  }

  /// Returns the conclusion of the comparison of the primary metric.
  static func verdict(of row: ComparisonRow) -> String {
    if let nothing = nothingToCompare(in: row) { return nothing }
    guard let metric = row.primary else { return "This flow has no \(row.settings.primaryMetric)" }
    guard let comparison = metric.comparison, let p = metric.holmP, let anytimeP = metric.anytimeHolmP else {
      return withoutTest(metric, in: row)
    }
    if let strata = row.settings.strata, !strata.mayBeEffect, let within = metric.stratified {
      return verdict(within: strata, within, in: row)
    }
    guard p <= ComparisonMetric.alpha, comparison.difference != 0 else { return noDifference(metric, in: row) }
    let (better, worse) = comparison.difference > 0 ? (row.b, row.a) : (row.a, row.b)
    // With only two sides, the sentence need not name the other one.
    let than = row.pairCount > 1 ? " than \(worse.title)" : ""
    guard row.isFair else { return "\(better.title) looks better\(than), but this is no fair comparison" }
    // The p at any look uses a normal approximation, which is too rough for the small counts of Fisher's test.
    return anytimeP <= ComparisonMetric.alpha && comparison.test == .z
      ? "\(better.title) is better\(than), and you may stop looking"
      : "\(better.title) is better\(than) if this was the one look you planned; not yet if you look every day"
  }

  /// Returns the conclusion within strata. There is no p at any look for it.
  private static func verdict(within strata: Dimension, _ within: StratifiedComparison, in row: ComparisonRow) -> String {
    let between = row.pairCount > 1 ? " between \(row.a.title) and \(row.b.title)" : ""
    guard within.p <= ComparisonMetric.alpha else {
      return "No clear difference\(between) within \(strata)\(row.isFair ? "" : ", but this is no fair comparison")"
    }
    let (better, worse) = within.difference > 0 ? (row.b, row.a) : (row.a, row.b)
    let than = row.pairCount > 1 ? " than \(worse.title)" : ""
    guard row.isFair else { return "\(better.title) looks better\(than) within \(strata), but this is no fair comparison" }
    return "\(better.title) is better\(than) on average within \(strata), if this was the one look you planned"
  }

  /// Returns the difference of the sides in the primary metric, or `nil` if it has no test.
  static func difference(of row: ComparisonRow) -> String? {
    guard let metric = row.primary, let comparison = metric.comparison, let p = metric.holmP, let a = metric.a?.rate,
      let b = metric.b?.rate
    else { return nil }
    return "\(metric.label): \(row.b.title) \(HumanNumbers.percent(b.value)), \(row.a.title) \(HumanNumbers.percent(a.value)), "
      + "\(amount(comparison.difference)) (95 % interval \(interval(low: comparison.low, high: comparison.high))), "
      + "\(HumanNumbers.probabilityClause(p)), "
      + (comparison.test == .fisher
        ? "too few for a p at any look" : "at any look \(HumanNumbers.probabilityClause(metric.anytimeHolmP ?? 1))")
  }

  // MARK: - Without a difference

  private static func noDifference(_ metric: ComparisonMetric, in row: ComparisonRow) -> String {
    let between = row.pairCount > 1 ? " between \(row.a.title) and \(row.b.title)" : ""
    guard row.isFair else { return "No clear difference\(between), but this is no fair comparison" }
    guard let needed = metric.neededPerSide else { return "No clear difference\(between)" }
    // The days are estimated from entries. They do not apply to the groups that are asked for a permission.
    let isOfEntries = metric.b?.total == row.b.entered && row.by.growsEveryDay && row.areAboutEqual
    let days = isOfEntries ? metric.neededDays.map { " (\(HumanNumbers.count($0)) day\($0 == 1 ? "" : "s") in all)" } ?? "" : ""
    let smaller = min(metric.a?.total ?? 0, metric.b?.total ?? 0)
    // A difference is ruled out only by the interval, not by the size of the sample.
    let isRuledOut = metric.comparison.map { max(abs($0.low), abs($0.high)) < row.settings.change } ?? false
    let enough = smaller >= needed && isRuledOut ? "; both have that many, so a difference that large is unlikely" : ""
    return "No clear difference\(between). Detecting \(points(row.settings.change)) needs about \(Self.needed(needed)) "
      + "\(row.noun.form(for: needed)) per \(row.by.noun)\(days)\(enough)"
  }

  /// Returns the reason why nothing can be compared if a side is empty, or `nil` if neither is.
  private static func nothingToCompare(in row: ComparisonRow) -> String? {
    let empty = [row.a, row.b].filter { $0.entered == 0 }
    guard !empty.isEmpty else { return nil }
    let sides = empty.map(\.title).joined(separator: " and ")
    let inProgress = empty.reduce(0) { $0 + $1.inProgress }
    guard inProgress > 0 else { return "Nothing to compare: nobody in \(sides) entered" }
    let window = TimeSpan(milliseconds: row.context.windowMilliseconds)
    return "Nothing to compare yet: no window of \(sides) has closed. \(row.noun.counted(inProgress)) "
      + "\(inProgress == 1 ? "is" : "are") in progress for up to \(window); --open-too counts them, as not converted so far"
  }

  private static func withoutTest(_ metric: ComparisonMetric, in row: ComparisonRow) -> String {
    let lacking = [(row.a, metric.a), (row.b, metric.b)].filter { $0.1 == nil }.map(\.0.title)
    guard lacking.isEmpty else { return "Nothing to compare: \(lacking.joined(separator: " and ")) has no \(metric.name)" }
    let empty = [(row.a, metric.a), (row.b, metric.b)].filter { $0.1?.total == 0 }.map(\.0.title)
    return "Nothing to compare: nobody in \(empty.joined(separator: " and ")) was asked, so there is no \(metric.name)"
  }

  // MARK: - Strata

  /// Whether the difference within strata has the opposite sign, or differs by more than half the width of the
  /// pooled interval.
  private static func contradicts(_ metric: ComparisonMetric, strata: Dimension) -> Bool {
    if strata.mayBeEffect { return false }
    guard let pooled = metric.comparison, let within = metric.stratified else { return false }
    return pooled.difference * within.difference < 0
      || abs(pooled.difference - within.difference) > (pooled.high - pooled.low) / 2
  }

  /// Returns a warning if the difference within strata contradicts the pooled one, or `nil` otherwise.
  static func strataWarning(of row: ComparisonRow) -> String? {
    guard let strata = row.settings.strata, let metric = row.primary, let pooled = metric.comparison else { return nil }
    guard let within = metric.stratified else {
      return "No value of \(strata) has \(row.noun.plural) of both sides, so --stratify \(strata) compares nothing"
    }
    guard contradicts(metric, strata: strata) else { return nil }
    let areOpposite = pooled.difference * within.difference < 0 && within.p <= ComparisonMetric.alpha
    return "On average within \(strata)\(areOpposite ? " it is the opposite" : ""): \(stratified(within)). "
      + "The sides have a different mix of \(strata)\(row.isFair ? ", so trust this number, not the one over all" : "")"
  }

  /// Returns the difference within strata, such as `5.3 points higher (95 % interval 0.6 to 10.0), p = 0.03, in 4
  /// strata`.
  static func stratified(_ comparison: StratifiedComparison) -> String {
    "\(amount(comparison.difference)) (95 % interval \(interval(low: comparison.low, high: comparison.high))), "
      + "\(HumanNumbers.probabilityClause(comparison.p)), in \(HumanNumbers.count(comparison.strataCount)) "
      + (comparison.strataCount == 1 ? "stratum" : "strata")
  }
}

extension Dimension {
  /// Whether the values may be an effect of the side: what people do at a step. Within such strata the effect itself
  /// disappears.
  fileprivate var mayBeEffect: Bool {
    if case .step = self { true } else { false }
  }
}
