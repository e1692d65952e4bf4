import FunnelModel
public import FunnelProjections

/// The broken rules of one flow version in one segment.
public struct BreachesRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The number of groups with an event in the period.
  public var groups: Int
  /// The number of groups that break at least one rule.
  public var breached: Int
  public var rules: [BreachRow]
}

/// The number of groups that break one rule.
public struct BreachRow: Hashable, Sendable {
  public var rule: String
  /// The permission or step that the rule is about, or `nil` if it is about the flow.
  public var target: String?
  /// The requirement, as a sentence without a full stop.
  public var description: String
  /// The number of groups with an event that the rule applies to.
  public var checked: Int
  public var broken: Int
  /// A few subjects of groups that break the rule, in byte order.
  public var examples: [String]

  /// The share of the checked groups that break the rule, or `nil` if none is checked.
  public var share: Rate? { Rate(broken, of: checked) }
}

extension BreachesProjector {
  public func rows(from segments: SegmentedCounts) -> [BreachesRow] {
    segments.sized(by: ids.groups).map { counts in
      BreachesRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, groups: counts[ids.groups],
        breached: counts[ids.breached],
        rules: checks.indices.map { row in
          BreachRow(
            rule: checks[row].name, target: checks[row].target, description: checks[row].description,
            checked: counts[ids.checked(row)], broken: counts[ids.broken(row)], examples: counts.examples(of: row).subjects)
        })
    }
  }
}
