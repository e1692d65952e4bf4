import FunnelProjections

/// The report of `funnel report steps`: completions, skips, failures, views and the time on each step.
public enum StepsReport: NamedReport {
  public typealias Projector = StepsProjector

  public static let name = "steps"
  public static let heading = "Steps"
  public static let effectOfPeopleInProgress: String? =
    "what they have not done yet is missing"

  public static let fields: [Field<StepsRow>] = [
    .segment,
    .count("entered") { $0.entered },
    .list(
      "steps",
      [
        .text("id") { $0.id },
        .text("label") { $0.label },
        .flag("optional") { $0.isOptional },
        .count("reached") { $0.reached },
        .count("completed") { $0.completed },
        .count("skipped") { $0.skipped },
        .count("back") { $0.back },
        .count("failed") { $0.failed },
        .openCounts("failures") { $0.failures.map { (name: $0.name, count: $0.count) } },
        .count("views") { $0.views },
        .quantiles("time_ms") { $0.time },
        .tree("values") { .object($0.values.map { ("props.\($0.key)", tree(of: $0)) }) },
      ], { $0.steps }),
  ]

  private static func tree(of summary: PropertySummary) -> FieldTree {
    var members: [(String, FieldTree)] = [("count", .count(summary.count))]
    if let mean = summary.mean, let min = summary.min, let max = summary.max {
      members += [("mean", .number(mean)), ("min", .value(min)), ("max", .value(max))]
    }
    let top = summary.top.map { FieldTree.object([("value", .value($0.value)), ("count", .count($0.count))]) }
    return .object(members + [("top", .array(top))])
  }
}
