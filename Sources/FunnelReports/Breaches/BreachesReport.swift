package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report breaches`: the rules of a flow that its app breaks, how often, and for which
/// subjects.
package enum BreachesReport: NamedReport {
  package typealias Projector = BreachesProjector

  package static let name = "breaches"
  package static let heading = "Broken rules"

  package static let fields: [Field<BreachesRow>] = [
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
        .tree("examples") { .array($0.examples.map(JSONValue.text)) },
      ], { $0.rules }),
  ]
}

/// The broken rules of one flow version in one segment.
package struct BreachesRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The number of groups with an event in the period.
  package var groups: Int
  /// The number of groups that break at least one rule.
  package var breached: Int
  package var rules: [BreachRow]
}

/// The number of groups that break one rule.
package struct BreachRow: Hashable, Sendable {
  package var rule: String
  /// The permission or step that the rule is about, or `nil` if it is about the flow.
  package var target: String?
  /// The requirement, as a sentence without a full stop.
  package var description: String
  /// The number of groups with an event that the rule applies to.
  package var checked: Int
  package var broken: Int
  /// A few subjects of groups that break the rule, in byte order.
  package var examples: [String]

  /// The share of the checked groups that break the rule, or `nil` if none is checked.
  package var share: Rate? { Rate(broken, of: checked) }
}
