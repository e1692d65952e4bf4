import FunnelModel
import FunnelProjections

extension CompareReport {
  /// Adds the verdict, and a chart of each difference with its interval.
  public static func addPictures(of rows: [ComparisonRow], in context: DocumentContext, to part: inout DocumentPart) {
    if rows.count == 1 { part.figure = figure(of: rows[0]) }
    part.pictures = rows.flatMap { row -> [Picture] in
      let sentences = sentences(of: row).map(\.picture)
      let metrics = row.metrics.filter { $0.comparison != nil }
      guard !metrics.isEmpty else { return sentences }
      let plot = ForestPlot(
        rows: metrics.map { metric in
          ForestPlot.Row(
            label: metric.label, difference: metric.comparison.map { ($0.difference, $0.low, $0.high) },
            value: value(of: metric), isSignificant: metric.isSignificant)
        },
        less: "less with \(row.b.title)", more: "more with \(row.b.title)")
      return sentences + [
        .chart(
          "\(row.b.title) minus \(row.a.title), in points",
          "A line for each metric over the 95 % interval of its difference, with a dot at the difference; it is filled where the difference is more than chance",
          .forest(plot))
      ]
    }
  }

  /// Returns the primary metric of the compared side, and its distance from the baseline.
  private static func figure(of row: ComparisonRow) -> Phrase? {
    guard let metric = row.primary, let rate = metric.b?.rate, let comparison = metric.comparison else { return nil }
    let points = " \(HumanNumbers.points(comparison.difference)) points"
    return Phrase([.share(rate.value, of: rate.denominator, .strong), .text(points, metric.isSignificant ? .strong : .faint)])
  }

  private static func value(of metric: ComparisonMetric) -> String {
    guard let comparison = metric.comparison, let p = metric.holmP else { return "" }
    return "\(HumanNumbers.points(comparison.difference)), \(HumanNumbers.probabilityClause(p))"
  }
}
