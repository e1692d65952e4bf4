import FunnelProjections

/// The report of `funnel report times`: the distribution of the time from step to step, and of the whole flow.
public enum TimesReport: NamedReport {
  public typealias Projector = TimesProjector

  public static let name = "times"
  public static let heading = "Times"
  public static let effectOfPeopleInProgress: String? =
    "those who take longer have no time yet, so these times are too short"

  public static let fields: [Field<TimesRow>] = [
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
