import FunnelRendering

/// The report of `funnel report times`: the distribution of the time from step to step, and of the whole flow.
package enum TimesReport: NamedReport {
  package typealias Projector = TimesProjector

  package static let name = "times"
  package static let heading = "Times"
  package static let effectOfPeopleInProgress: String? =
    "those who take longer have no time yet, so these times are too short"

  package static let fields: [Field<TimesRow>] = [
    .segment,
    .list(
      "steps",
      [.text("id") { $0.id }, .text("label") { $0.label }, .flag("optional") { $0.isOptional }]
        + summary { (step: TimesStepRow) in step.times }, { $0.steps }),
    .object("total", summary { (row: TimesRow) in row.total }),
  ]

  private static func summary<Row>(_ summary: @escaping @Sendable (Row) -> TimeSummary) -> [Field<Row>] {
    [.count("count") { summary($0).count }, .number("mean_ms") { summary($0).mean }]
      + TimeSummary.percents.map { percent in .count("p\(percent)") { summary($0).quantile(percent).map(Int.init) } }
      + [
        .tree("histogram") { row in
          .array(
            summary(row).bins.map { bin in
              .object([
                ("from_ms", .count(Int(bin.from))), ("to_ms", bin.to.map { .count(Int($0)) } ?? .null),
                ("count", .count(bin.count)),
              ])
            })
        }
      ]
  }
}

/// The times of one flow version in one segment.
package struct TimesRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var entered: Int
  /// The times from the previous required step, for all steps except the first.
  package var steps: [TimesStepRow]
  /// The time from the anchor to the last required step.
  package var total: TimeSummary

  package var groups: Int { entered }
}

/// The times from the previous required step to a step.
package struct TimesStepRow: Hashable, Sendable {
  package var id: String
  package var label: String
  /// The label of the previous required step, or `nil` if there is no single one because steps may come in any order.
  package var previousLabel: String?
  package var isOptional: Bool
  package var times: TimeSummary
}
