public import FunnelJourneys
public import FunnelModel

/// How groups answer each permission a flow asks for (contract section 3).
public struct GrantsProjector: Projector {
  public static let name = "grants"

  let flow: FlowDefinition
  let permissions: [PermissionPlace]
  let segmentation: Segmentation
  let span: AnchorSpan
  let window: Int64
  private let now: Int64

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    permissions = PermissionPlace.all(of: flow)
    segmentation = Segmentation(query: query)
    span = AnchorSpan(query: query)
    window = max(0, query.windowMilliseconds(for: flow))
    now = query.now.milliseconds
  }

  /// The groups counted so far, by permission and segment.
  public struct State: ProjectionState {
    var permissions: [SegmentedCells<GrantCell>]
    /// Groups with a system dialog and no pre-prompt before it, by permission.
    var unprimed: [Int]
    var runs: [PermissionRun]

    init(permissionCount: Int) {
      permissions = Array(repeating: SegmentedCells(), count: permissionCount)
      unprimed = Array(repeating: 0, count: permissionCount)
      runs = Array(repeating: PermissionRun(), count: permissionCount)
    }

    public mutating func merge(_ other: State) {
      for permission in permissions.indices {
        permissions[permission].merge(other.permissions[permission])
        unprimed[permission] += other.unprimed[permission]
      }
    }
  }

  public var emptyState: State { State(permissionCount: permissions.count) }

  public func fold(_ journey: Journey, into state: inout State) {
    guard !permissions.isEmpty else { return }
    let answers = state.runs.withUnsafeMutableBufferPointer { self.answers(in: journey, runs: $0) }
    for permission in permissions.indices {
      let bit: UInt64 = 1 << UInt64(permission)
      if answers.unprimed & bit != 0 { state.unprimed[permission] += 1 }
      guard answers.prompted & bit != 0 else { continue }
      let run = state.runs[permission]
      guard let segment = segmentation.segment(of: journey, at: run.prompt) else { continue }
      let index = state.permissions[permission].index(of: segment, orAdd: GrantCell())
      state.permissions[permission][index].count(
        run, outcome: outcome(of: run, isDecided: answers.decided & bit != 0, wentOn: answers.wentOn & bit != 0))
    }
  }

  private func outcome(of run: PermissionRun, isDecided: Bool, wentOn: Bool) -> GrantOutcome {
    if isDecided { return GrantOutcome(run.lastDecision) }
    if wentOn { return .skipped }
    return run.deadline.isOpen(at: now) ? .inProgress : .unanswered
  }
}
