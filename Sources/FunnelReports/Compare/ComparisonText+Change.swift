import FunnelModel
import FunnelProjections
import FunnelRendering

extension ComparisonText {
  /// Returns the change of conversion between two periods, as a clause of a headline.
  static func change(of row: ComparisonRow) -> String {
    let before = row.a.title
    guard row.a.entered > 0 || row.a.inProgress > 0 else { return "nobody entered in \(before)" }
    guard let metric = row.primary, let comparison = metric.comparison, let p = metric.holmP, let rate = metric.a?.rate else {
      return "nothing to compare with \(before) yet"
    }
    let numbers = "(\(HumanNumbers.percent(rate.value)), \(HumanNumbers.probabilityClause(p)))"
    let fairness = row.isFair ? "" : ", but this is no fair comparison"
    let change = metric.isSignificant ? "\(amount(comparison.difference)) than in" : "no clear change from"
    return "\(change) \(before) \(numbers)\(row.context.isSameAge ? " at the same age" : "")\(fairness)"
  }
}
