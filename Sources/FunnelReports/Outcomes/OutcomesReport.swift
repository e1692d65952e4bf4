package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report outcomes`: the outcomes of groups, and their monetary or other amounts.
package enum OutcomesReport: NamedReport {
  package typealias Projector = OutcomesProjector

  package static let name = "outcomes"
  package static let heading = "Outcomes"
  package static let effectOfPeopleInProgress: String? =
    "many of them may still succeed or fail, so these shares are not final"

  package static let fields: [Field<OutcomesRow>] = [
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

/// The outcomes of one flow version in one segment.
package struct OutcomesRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var entered: Int
  /// The number of groups without an outcome whose window is open.
  package var inProgress: Int
  /// The number of groups without an outcome whose window has closed.
  package var none: Int
  /// The number of outcome events that are followed by another one in the same group.
  package var retries: Int
  package var outcomes: [OutcomeRow]

  package var groups: Int { entered }
  package var isConsistent: Bool { entered == outcomes.reduce(none + inProgress) { $0 + $1.count } }
  package var successes: Int { outcomes.reduce(0) { $0 + ($1.isSuccess ? $1.count : 0) } }
  package var successRate: Rate? { Rate(successes, of: entered - inProgress) }
}

/// The numbers of one outcome.
package struct OutcomeRow: Hashable, Sendable {
  package var id: String
  package var label: String
  package var isSuccess: Bool
  package var count: Int
  /// The number of groups that entered and are not in progress, the denominator of the share.
  package var decided: Int
  /// The time from the anchor to the outcome.
  package var time: Quantiles?
  package var details: [OutcomeDetail]
  /// The sums of the amounts of the outcome, by unit.
  package var amounts: [OutcomeAmount]

  package var share: Rate? { Rate(count, of: decided) }
}

/// The numbers of groups with one outcome by the value of a property, most frequent first.
package struct OutcomeDetail: Hashable, Sendable {
  package var key: String
  package var counts: [NamedCount]
}

/// The sum of the amounts of one outcome, in one unit.
package struct OutcomeAmount: Hashable, Sendable {
  package var unit: String
  package var sum: ExactDecimal
}
