import FunnelModel
import FunnelProjections

/// The report of `funnel report dropoff`: the steps at which groups leave a flow, and the ways in which they leave.
public enum DropoffReport: NamedReport {
  public typealias Projector = DropoffProjector

  public static let name = "dropoff"
  public static let heading = "Drop-off"

  public static let fields: [Field<DropoffRow>] = [
    .segment,
    .count("entered") { $0.entered },
    .count("dropped") { $0.dropped },
    .count("in_progress") { $0.inProgress },
    .optionalCount("excluded") { $0.excluded },
    .list("steps", stepFields) { $0.steps },
  ]

  private static let stepFields: [Field<DropoffStepRow>] = [
    .text("id") { $0.id },
    .text("label") { $0.label },
    .count("dropped") { $0.dropped },
    .share("share_of_entered") { $0.shareOfEntered },
    .share("share_of_reached") { $0.shareOfReached },
    .count("in_progress") { $0.inProgress },
    .object(
      "closed",
      [
        .count("reached") { $0.closed.reached },
        .count("dropped") { $0.closed.dropped },
        .share("share") { $0.closed.share },
      ]),
    .number("lost_completions") { $0.lostCompletions },
    .counts("exits", names: ExitKind.allCases.map(\.name)) { step in ExitKind.allCases.map { step.count(of: $0) } },
    .openCounts("last_step") { $0.lastSteps.map { (name: $0.id, count: $0.groups) } },
    .quantiles("dwell_ms") { $0.dwell },
  ]
}
