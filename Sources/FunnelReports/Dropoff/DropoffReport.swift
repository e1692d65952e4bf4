package import FunnelModel
import FunnelProjections

/// The report of `funnel report dropoff`: the steps at which groups leave a flow, and the ways in which they leave.
package enum DropoffReport: NamedReport {
  package typealias Projector = DropoffProjector

  package static let name = "dropoff"
  package static let heading = "Drop-off"

  package static let fields: [Field<DropoffRow>] = [
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

/// The drop-off of one flow version in one segment.
package struct DropoffRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var entered = 0
  package var dropped = 0
  package var inProgress = 0
  /// The number of groups that left because of an excluded event, or `nil` if the flow and the query exclude no
  /// events.
  package var excluded: Int?
  /// The required steps except the last.
  package var steps: [DropoffStepRow] = []

  package var groups: Int { entered }

  package var isConsistent: Bool { dropped + inProgress + (excluded ?? 0) <= entered }

  /// Whether many groups are in progress. Shares of all groups then underestimate the final drop-off.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// The number of groups whose window has closed. All of them reached the first step.
  var closedEntered: Int { steps.first?.closed.reached ?? 0 }

  /// The number of groups that dropped and whose window has closed.
  var closedDropped: Int { steps.reduce(0) { $0 + $1.closed.dropped } }
}

/// The groups that dropped off at one required step.
package struct DropoffStepRow: Hashable, Sendable {
  package var id: String
  package var label: String
  /// The number of groups that dropped after this step.
  package var dropped = 0
  /// The share of dropped groups among those that entered the flow, or `nil` if none entered.
  package var shareOfEntered: Double?
  /// The share of dropped groups among those that reached the step, or `nil` if none reached it.
  package var shareOfReached: Double?
  /// The number of groups that reached the step.
  package var reached = 0
  package var inProgress = 0
  /// The numbers of the groups whose window has closed.
  package var closed = ClosedDropoff()
  /// The estimated number of completions that the step lost, among closed groups, or `nil` if no closed group
  /// reached the next required step.
  package var lostCompletions: Double?
  /// The numbers of groups by the way they left, in the order of ``ExitKind/allCases``.
  package var exits: [Int] = []
  /// The numbers of groups by their last step, in the order of the flow, without zeros.
  package var lastSteps: [LastStep] = []
  /// The time of dropped groups from the match of the step to their last event, in milliseconds.
  package var dwell: Quantiles?
}

/// The drop-off of the groups whose window has closed, at one required step. Groups in progress do not bias it.
package struct ClosedDropoff: Hashable, Sendable {
  package var reached: Int
  package var dropped: Int

  package init(reached: Int = 0, dropped: Int = 0) {
    self.reached = reached
    self.dropped = dropped
  }

  /// The share of the groups that reached the step and dropped there, or `nil` if none reached it.
  package var share: Double? { Rate.share(dropped, of: reached) }

  /// Returns the estimated number of lost completions, or `nil` if no group reached the next step.
  ///
  /// It assumes that the dropped groups would have completed at the same rate as those that reached the next step.
  func lostCompletions(completed: Int, reachedNext: Int) -> Double? {
    reachedNext > 0 ? Double(dropped) * Double(completed) / Double(reachedNext) : nil
  }
}

/// The number of groups that dropped off at a required step and were last seen on a given step, such as a later
/// optional one.
package struct LastStep: Hashable, Sendable {
  package var id: String
  package var label: String
  package var groups: Int

  package init(id: String, label: String, groups: Int) {
    self.id = id
    self.label = label
    self.groups = groups
  }
}

extension DropoffRow {
  /// Creates a row without groups and steps.
  package init(key: RowKey, title: String) {
    self.key = key
    self.title = title
  }
}

extension DropoffStepRow {
  /// Creates a row without groups.
  package init(id: String, label: String) {
    self.id = id
    self.label = label
  }

  /// Returns the share of the groups that reached the step and dropped there, and its denominator.
  ///
  /// - Parameter isClosed: Whether to include only groups whose window has closed.
  func share(ofClosed isClosed: Bool) -> (share: Double?, of: Int) {
    isClosed ? (closed.share, closed.reached) : (shareOfReached, reached)
  }

  /// Returns the number of groups that left in a given way.
  func count(of kind: ExitKind) -> Int {
    let index = Int(kind.rawValue)
    return index < exits.count ? exits[index] : 0
  }

  /// The ways groups left, most frequent first.
  var exitsByCount: [(kind: ExitKind, count: Int)] {
    ExitKind.allCases.map { (kind: $0, count: count(of: $0)) }.filter { $0.count > 0 }
      .sorted { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }
  }

  /// The other steps that groups visited last after they dropped at this one, in the order of the flow.
  var lastElsewhere: [LastStep] { lastSteps.filter { $0.id != id && $0.groups > 0 } }

  /// Returns the share of the dropped groups that visited a step last, or `nil` if none dropped.
  func share(of last: LastStep) -> Double? {
    Rate.share(last.groups, of: dropped)
  }
}
