public import FunnelJourneys
public import FunnelModel

/// How groups answer each permission a flow asks for (contract section 3).
public struct GrantsProjector: Projector {
  public static let name = "grants"

  let flow: FlowDefinition
  let permissions: [PermissionPlace]
  let question: SegmentQuestion
  let span: AnchorSpan
  let window: Int64
  private let now: Int64

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    permissions = PermissionPlace.all(of: flow)
    question = SegmentQuestion(query: query)
    span = AnchorSpan(query: query)
    window = max(0, query.windowMilliseconds(for: flow))
    now = query.now.milliseconds
  }

  /// The groups counted so far, by permission and segment.
  public struct State: ProjectionState {
    var segments = SegmentIndex()
    var counts: GrantCounts

    public mutating func merge(_ other: State) {
      counts.merge(other.counts, numbers: segments.merge(other.segments))
    }
  }

  public var emptyState: State { State(counts: GrantCounts(permissionCount: permissions.count)) }

  public func fold(_ journey: Journey, into state: inout State) {
    count(journey, segments: &state.segments, into: &state.counts)
  }

  /// Counts a group for each permission it was prompted for.
  func count(_ journey: Journey, segments: inout SegmentIndex, into counts: inout GrantCounts) {
    guard !permissions.isEmpty else { return }
    let answers = counts.runs.withUnsafeMutableBufferPointer { self.answers(in: journey, runs: $0) }
    for permission in permissions.indices {
      let bit: UInt64 = 1 << UInt64(permission)
      if answers.unprimed & bit != 0 { counts.unprimed[permission] += 1 }
      guard answers.prompted & bit != 0 else { continue }
      let run = counts.runs[permission]
      guard let segment = segments.number(of: journey.events[run.prompt], in: journey, for: question) else { continue }
      let place = counts.permissions[permission].place(of: segment, orAdd: GrantCell())
      counts.permissions[permission][place].count(
        run, outcome: outcome(of: run, isDecided: answers.decided & bit != 0, wentOn: answers.wentOn & bit != 0))
    }
  }

  private func outcome(of run: PermissionRun, isDecided: Bool, wentOn: Bool) -> GrantOutcome {
    if isDecided { return GrantOutcome(run.lastDecision) }
    if wentOn { return .skipped }
    return run.deadline.isOpen(at: now) ? .inProgress : .unanswered
  }
}
