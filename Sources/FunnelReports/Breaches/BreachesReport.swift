import FunnelProjections

/// The report of `funnel report breaches`: the rules of a flow that its app breaks, how often, and for which
/// subjects.
public enum BreachesReport: NamedReport {
  public typealias Projector = BreachesProjector

  public static let name = "breaches"
  public static let heading = "Broken rules"

  public static let fields: [Field<BreachesRow>] = [
    .segment,
    .count("groups") { $0.groups },
    .count("breached") { $0.breached },
    .list(
      "rules",
      [
        .text("rule") { $0.rule },
        .text("target") { $0.target },
        .text("description") { $0.description },
        .count("checked") { $0.checked },
        .count("broken") { $0.broken },
        .rate("share") { $0.share },
        .tree("examples") { .array($0.examples.map(FieldTree.text)) },
      ], { $0.rules }),
  ]
}
