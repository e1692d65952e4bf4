import FunnelProjections

/// The report of `funnel compare`: the differences between sides of a flow, and whether each is statistically
/// significant.
package enum CompareReport: RowReport {
  package static let name = "compare"
  package static let heading = "Comparison"

  package static let fields: [Field<ComparisonRow>] = [
    .text("dimension") { $0.by.name },
    .flag("same_age") { $0.context.isSameAge },
    .object("a", [.text("label") { $0.a.label }, .count("entered") { $0.a.entered }]),
    .object("b", [.text("label") { $0.b.label }, .count("entered") { $0.b.entered }]),
    .count("no_value") { $0.context.withoutValue },
    .count("mixed") { $0.mixed },
    .object(
      "sample_ratio", where: { $0.sizes != nil },
      [
        .number("chi2") { $0.sizes?.result.chiSquared },
        .number("p") { $0.sizes?.result.p },
        .flag("suspect") { $0.sizes?.result.isSuspect ?? false },
      ]),
    .object(
      "overall", where: { $0.overall != nil },
      [
        .number("chi2") { $0.overall?.chiSquared },
        .count("df") { $0.overall?.degreesOfFreedom },
        .number("p") { $0.overall?.p },
      ]),
    .list("metrics", metricFields) { $0.metrics },
    .text("verdict") { ComparisonText.verdict(of: $0) }.firstInCSV,
  ]

  private static let metricFields: [Field<ComparisonMetric>] = [
    .text("metric") { $0.name },
    .flag("primary") { $0.isPrimary },
    .text("label") { $0.label },
    share("a") { $0.a },
    share("b") { $0.b },
    .number("difference") { $0.comparison?.difference },
    .interval("difference_ci95") { metric in metric.comparison.map { ($0.low, $0.high) } },
    .number("lift") { $0.comparison?.lift },
    .text("test") { $0.comparison?.test.rawValue },
    .number("p") { $0.comparison?.p },
    .number("p_holm") { $0.holmP },
    .number("anytime_p") { $0.comparison?.anytime.p },
    .interval("anytime_ci95") { metric in metric.comparison.map { ($0.anytime.low, $0.anytime.high) } },
    .object(
      "stratified", where: { $0.stratified != nil },
      [
        .number("difference") { $0.stratified?.difference },
        .interval("difference_ci95") { metric in metric.stratified.map { ($0.low, $0.high) } },
        .number("p") { $0.stratified?.p },
        .count("strata") { $0.stratified?.strataCount },
      ]),
    .count("needed_per_side") { $0.neededPerSide },
    .count("needed_days") { $0.neededDays },
  ]

  private static func share(
    _ name: String, _ share: @escaping @Sendable (ComparisonMetric) -> ComparedShare?
  ) -> Field<ComparisonMetric> {
    .object(
      name, where: { share($0) != nil },
      [
        .count("count") { share($0)?.count },
        .count("of") { share($0)?.total },
        .rate("rate") { share($0)?.rate },
      ])
  }
}
