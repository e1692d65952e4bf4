import FunnelProjections

/// The report of `funnel report outcomes`: the outcomes of groups, and their monetary or other amounts.
public enum OutcomesReport: NamedReport {
  public typealias Projector = OutcomesProjector

  public static let name = "outcomes"
  public static let heading = "Outcomes"
  public static let effectOfPeopleInProgress: String? =
    "they have no outcome yet, so outcomes that come quickly look too frequent and slow ones too rare"

  public static let fields: [Field<OutcomesRow>] = [
    .segment,
    .count("entered") { $0.entered },
    .count("in_progress") { $0.inProgress },
    .count("none") { $0.none },
    .count("successes") { $0.successes },
    .rate("success_rate") { $0.successRate },
    .count("retries") { $0.retries },
    .list(
      "outcomes",
      [
        .text("id") { $0.id },
        .text("label") { $0.label },
        .flag("success") { $0.isSuccess },
        .count("count") { $0.count },
        .rate("share") { $0.share },
        .quantiles("time_ms") { $0.time },
        .tree("details") { outcome in
          .object(
            outcome.details.map { detail in
              ("props.\(detail.key)", .object(detail.counts.map { ($0.name, .count($0.count)) }))
            })
        },
        .tree("values") { .object($0.amounts.map { ($0.unit, .decimal($0.sum)) }) },
      ], { $0.outcomes }),
  ]
}
