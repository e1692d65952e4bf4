import FunnelModel

/// How a group answered a permission.
enum GrantOutcome: Int, CaseIterable, Sendable {
  case granted, limited, denied, skipped, unanswered, inProgress

  /// The outcome a last decision stands for.
  init(_ decision: PermissionAction) {
    switch decision {
    case .granted: self = .granted
    case .limited: self = .limited
    case .denied: self = .denied
    case .skipped: self = .skipped
    case .other, .prePrompt: self = .unanswered
    }
  }
}

/// The answers to one permission in one segment.
struct GrantCell: SegmentCell {
  private var outcomes = Array(repeating: 0, count: GrantOutcome.allCases.count)
  private(set) var recovered = 0
  /// Time from the pre-prompt to the first decision.
  private(set) var decisionTimes = DurationDistribution()

  var groupCount: Int { outcomes.reduce(0, +) }

  subscript(outcome: GrantOutcome) -> Int { outcomes[outcome.rawValue] }

  mutating func count(_ run: PermissionRun, outcome: GrantOutcome) {
    outcomes[outcome.rawValue] += 1
    if run.firstDecision != .other { decisionTimes.record(run.decisionTime) }
    if outcome == .granted, run.firstDecision == .denied || run.firstDecision == .skipped { recovered += 1 }
  }

  mutating func merge(_ other: GrantCell) {
    for outcome in outcomes.indices { outcomes[outcome] += other.outcomes[outcome] }
    recovered += other.recovered
    decisionTimes.merge(other.decisionTimes)
  }
}

/// The answers to all permissions of a flow.
struct GrantCounts: Sendable {
  /// By permission and segment.
  var permissions: [SegmentedCells<GrantCell>]
  /// Groups with a system dialog and no pre-prompt before it, by permission.
  var unprimed: [Int]
  /// Room for what happened to each permission in the group being counted.
  var runs: [PermissionRun]

  init(permissionCount: Int) {
    permissions = Array(repeating: SegmentedCells(), count: permissionCount)
    unprimed = Array(repeating: 0, count: permissionCount)
    runs = Array(repeating: PermissionRun(), count: permissionCount)
  }

  mutating func merge(_ other: GrantCounts, numbers: [Int]) {
    for permission in permissions.indices {
      permissions[permission].merge(other.permissions[permission], numbers: numbers)
      unprimed[permission] += other.unprimed[permission]
    }
  }
}
