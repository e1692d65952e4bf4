import FunnelProjections

/// `funnel compare`: how two sides of a flow differ, and whether that may be chance.
public enum CompareReport: RowReport {
  public static let name = "compare"
  public static let heading = "Comparison"

  public static let fields: [Field<ComparisonRow>] = [
    .text("dimension") { $0.dimension },
    .object("a", [.text("label") { $0.a.label }, .count("entered") { $0.a.entered }]),
    .object("b", [.text("label") { $0.b.label }, .count("entered") { $0.b.entered }]),
    .object(
      "sample_ratio", where: { $0.sizes != nil },
      [
        .number("chi2") { $0.sizes?.result.chiSquared },
        .number("p") { $0.sizes?.result.p },
        .flag("suspect") { $0.sizes?.result.isSuspect ?? false },
      ]),
    .list("metrics", metricFields) { $0.metrics },
  ]

  private static let metricFields: [Field<ComparisonMetric>] = [
    .text("metric") { $0.name },
    .text("label") { $0.label },
    share("a") { $0.a },
    share("b") { $0.b },
    .number("difference") { $0.comparison?.difference },
    .interval("difference_ci95") { metric in metric.comparison.map { ($0.low, $0.high) } },
    .number("lift") { $0.comparison?.lift },
    .text("test") { $0.comparison?.test.rawValue },
    .number("p") { $0.comparison?.p },
    .number("p_holm") { $0.holmP },
    .count("needed_per_side") { $0.comparison?.neededPerSide },
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
