import FunnelModel
import FunnelProjections

/// The sentences of a comparison, for people to repeat. They end without a full stop.
enum ComparisonText {
  /// Returns a warning if the sizes of the sides are not what was meant.
  static func warning(of row: ComparisonRow) -> String? {
    guard let sizes = row.sizes, sizes.result.isSuspect else { return nil }
    return "\(row.a.label) has \(groups(row.a.entered)) and \(row.b.label) \(HumanNumbers.count(row.b.entered)) where "
      + "\(sizes.ratio) was meant: chi² \(HumanNumbers.decimal(sizes.result.chiSquared)), "
      + "\(HumanNumbers.probabilityClause(sizes.result.p)). Find out why before you trust the rest"
  }

  /// Returns what the comparison says about conversion, or nil if the row has none.
  ///
  /// - Parameter isClosedOnly: Whether only groups whose window has closed were counted.
  static func conversion(of row: ComparisonRow, isClosedOnly: Bool) -> String? {
    guard let metric = row.conversion else { return nil }
    guard let comparison = metric.comparison, let holmP = metric.holmP, let rate = metric.b?.rate else {
      let empty = row.a.entered == 0 ? row.a : row.b
      return isClosedOnly
        ? "Nothing to test: \(empty.label) has no group whose window has closed"
        : "Nothing to test: no group of \(empty.label) entered"
    }
    let (a, b) = (row.a.label, row.b.label)
    guard comparison.difference != 0 else {
      return "\(b) and \(a) convert alike, \(HumanNumbers.percent(rate.value)) each"
    }
    // No experiment is large enough to show a difference that is not worth a tenth of a point.
    guard HumanNumbers.points(abs(comparison.difference), isSigned: false) != "0.0" else {
      return "\(b) and \(a) convert alike, \(HumanNumbers.percent(rate.value)) of \(b) (\(interval(comparison)))"
    }
    let verb = "\(b) converts \(amount(comparison.difference)) \(comparison.difference > 0 ? "more" : "less") than \(a)"
    let chances =
      "\(HumanNumbers.probabilityClause(comparison.p)) before and \(HumanNumbers.probability(holmP)) after Holm"
    let doubt = row.sizes?.result.isSuspect == true ? "; but the sizes of the sides are suspect" : ""
    return "\(verb) (\(interval(comparison))), \(chances): \(verdict(on: metric, comparison))\(doubt)"
  }

  private static func verdict(on metric: ComparisonMetric, _ comparison: TwoProportionComparison) -> String {
    if metric.isSignificant { return "more than chance" }
    let judgement = comparison.p <= ComparisonMetric.alpha ? "not yet enough" : "this may be chance"
    let smaller = min(metric.a?.total ?? 0, metric.b?.total ?? 0)
    // The number is of a single test: with Holm's correction a side may have it and still not show the difference.
    guard let needed = comparison.neededPerSide, needed > smaller else { return judgement }
    return "\(judgement); \(Self.needed(needed)) a side would show it"
  }

  /// The largest number of groups that a table and a sentence name. A larger one tells nobody how long to wait.
  private static let neededMax = 10_000_000

  /// Returns how many groups a side needs, such as `1,570`, or `>10,000,000` for a number that is larger.
  static func needed(_ count: Int) -> String {
    count > neededMax ? ">\(HumanNumbers.count(neededMax))" : HumanNumbers.count(count)
  }

  private static func groups(_ count: Int) -> String { "\(HumanNumbers.count(count)) group\(count == 1 ? "" : "s")" }

  /// Returns the size of a difference, such as `5.3 points`.
  private static func amount(_ difference: Double) -> String {
    let text = HumanNumbers.points(abs(difference), isSigned: false)
    return "\(text) point\(text == "1.0" ? "" : "s")"
  }

  /// Returns the interval of a difference, from its smaller end: `0.6 to 10.0`, or `1.2 less to 3.4 more` if it has both signs.
  private static func interval(_ comparison: TwoProportionComparison) -> String {
    let (low, high) = (comparison.low, comparison.high)
    func bound(_ value: Double) -> String { HumanNumbers.points(abs(value), isSigned: false) }
    if low >= 0 { return "\(bound(low)) to \(bound(high))" }
    if high <= 0 { return "\(bound(high)) to \(bound(low))" }
    return "\(bound(low)) less to \(bound(high)) more"
  }
}

extension HumanNumbers {
  /// Returns a difference of shares in points, with one digit after the point, such as `+5.3`.
  static func points(_ difference: Double, isSigned: Bool = true) -> String {
    let tenths = Int((difference * 1000).rounded())
    let sign = tenths < 0 ? "-" : isSigned && tenths > 0 ? "+" : ""
    return "\(sign)\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// Returns a probability such as `0.12`, with three digits where two would not tell it from 0.05 or 0, or `<0.001`.
  static func probability(_ p: Double) -> String {
    if p < 0.001 { return "<0.001" }
    if p >= 0.995 { return "1" }
    let thousandths = Int((p * 1000).rounded())
    if thousandths < 10 || (45..<55).contains(thousandths) {
      return "0.\(String(repeating: "0", count: thousandths < 10 ? 2 : 1))\(thousandths)"
    }
    let hundredths = Int((p * 100).rounded())
    return hundredths < 10 ? "0.0\(hundredths)" : "0.\(hundredths)"
  }

  /// Returns a probability in a sentence: `p = 0.12`, or `p < 0.001`.
  static func probabilityClause(_ p: Double) -> String {
    p < 0.001 ? "p < 0.001" : "p = \(probability(p))"
  }
}
