import FunnelProjections

/// The report of `funnel report funnel`: the number of groups that reach each step of a flow, and the time
/// between steps.
public enum FunnelReport: NamedReport {
  public typealias Projector = FunnelProjector

  public static let name = "funnel"
  public static let heading = "Funnel"

  public static let fields: [Field<FunnelRow>] = [
    .count("window_ms") { Int($0.windowMilliseconds) },
    .segment,
    .count("entered") { $0.entered },
    .count("completed") { $0.completed },
    .count("in_progress") { $0.inProgress },
    .count("dropped") { $0.dropped },
    .count("returned") { $0.returned },
    .count("finished_out_of_order") { $0.finishedOutOfOrder },
    .optionalCount("excluded") { $0.excluded },
    .rate("conversion") { $0.conversion },
    .object(
      "closed",
      [
        .count("entered") { $0.closed.entered },
        .count("completed") { $0.closed.completed },
        .rate("conversion") { $0.closed.conversion },
      ]),
    .list("steps", stepFields) { $0.steps },
  ]

  private static let stepFields: [Field<FunnelStepRow>] = [
    .text("id") { $0.id },
    .text("label") { $0.label },
    .flag("optional") { $0.isOptional },
    .count("reached") { $0.reached },
    .share("from_previous") { $0.fromPrevious },
    .share("from_start") { $0.fromStart },
    .count("dropped") { $0.dropped },
    .count("in_progress") { $0.inProgress },
    .quantiles("time_from_previous_ms") { $0.timeFromPrevious },
  ]
}
