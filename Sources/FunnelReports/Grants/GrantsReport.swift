import FunnelProjections

/// The report of `funnel report grants`: the answers of groups to each permission that a flow asks for.
public enum GrantsReport: NamedReport {
  public typealias Projector = GrantsProjector

  public static let name = "grants"
  public static let heading = "Permission answers"

  public static let fields: [Field<GrantRow>] = [
    .text("permission") { $0.permission },
    .segment,
    .count("prompted") { $0.prompted },
    .count("granted") { $0.granted },
    .count("limited") { $0.limited },
    .optionalCount("provisional") { $0.provisional > 0 ? $0.provisional : nil },
    .count("denied") { $0.denied },
    .count("skipped") { $0.skipped },
    .count("unanswered") { $0.unanswered },
    .count("in_progress") { $0.inProgress },
    .count("recovered") { $0.recovered },
    .count("unprimed") { $0.unprimed },
    .rate("grant_rate") { $0.grantRate },
    .rate("access_rate") { $0.accessRate },
    .rate("dialog_grant_rate") { $0.dialogGrantRate },
    .object(
      "closed",
      [
        .count("prompted") { $0.closed.prompted },
        .count("granted") { $0.closed.granted },
        .rate("grant_rate") { $0.closed.grantRate },
      ]),
    .quantiles("decision_ms") { $0.decisionTime },
    .optionalCount("recovered_via_settings") { $0.recoveredViaSettings },
    .remark("note") { $0.note },
  ]
}
