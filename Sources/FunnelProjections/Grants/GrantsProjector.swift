public import FunnelHistories
public import FunnelModel

/// Reports how groups answer each permission a flow asks for (specification section 3).
public struct GrantsProjector: Projector, Outliner {
  public static let name = "grants"

  let flow: FlowDefinition
  let permissions: [PermissionPlace]
  let question: SegmentQuestion
  let clock: WindowClock
  let span: AnchorSpan
  let slots: GrantSlots
  /// The steps whose entry is a pre-prompt of some permission.
  let primingSteps: UInt64

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.init(flow: flow, query: query, counterBase: 0, durationBase: 0)
  }

  /// Creates a projector whose counters and durations follow those of other projectors in a sheet.
  init(flow: FlowDefinition, query: ReportQuery, counterBase: Int, durationBase: Int) {
    self.flow = flow
    permissions = PermissionPlace.all(of: flow)
    question = SegmentQuestion(flow: flow, query: query)
    clock = WindowClock(flow: flow, query: query)
    span = AnchorSpan(query: query)
    primingSteps = permissions.reduce(0) { $0 | $1.primingSteps }
    slots = GrantSlots(counterBase: counterBase, durationBase: durationBase, permissionCount: permissions.count)
  }

  var counterCount: Int { slots.counterCount }
  var durationCount: Int { slots.durationCount }

  public var emptyState: Tally { emptyTally }

  public func fold(_ journey: Journey, into state: inout Tally) { count(journey, into: &state) }

  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch) {
    let matcher = StepMatcher(flow: flow, query: question.query)
    let finder = StepMatchFinder(question, flow: flow, matcher: matcher)
    if finder.isNeeded {
      let hasChain = matcher.match(events, into: &scratch.match)
      finder.note(hasChain ? scratch.match : nil, of: events, in: &outline)
    }
    outlineAnswers(in: events, into: &outline, scratch: &scratch)
  }

  /// Adds the counts of a group; the matches of steps must have been recorded if they are needed.
  func outlineAnswers(
    in events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch
  ) {
    guard !permissions.isEmpty else { return }
    scratch.runs.withUnsafeMutableBufferPointer { runs in
      let answers = answers(in: events, runs: runs)
      outlineUnprimed(answers.unprimed, into: &outline)
      var rest = answers.prompted
      while rest != 0 {
        let permission = rest.trailingZeroBitCount
        rest &= rest - 1
        self.outline(permission, run: runs[permission], wentOn: answers.wentOn >> UInt64(permission) & 1 == 1, into: &outline)
      }
    }
  }

  /// Whether unprimed groups are counted. They have no pre-prompt to determine their segment, or when their window closes, so they are
  /// counted only if there is one segment, whether closed or not.
  var countsUnprimed: Bool { question.isWhole && !clock.countsClosedOnly }

  private func outlineUnprimed(_ unprimed: UInt64, into outline: inout Outline) {
    guard unprimed != 0, countsUnprimed else { return }
    outline.beginPart(at: 0)
    var rest = unprimed
    while rest != 0 {
      outline.count(slots.unprimed(rest.trailingZeroBitCount))
      rest &= rest - 1
    }
  }

  private func outline(_ permission: Int, run: PermissionRun, wentOn: Bool, into outline: inout Outline) {
    outline.beginPart(at: run.prompt)
    outline.count(slots.prompted(permission))
    outline.count(slots.promptedOpen(permission), .ifOpen)
    if let first = run.firstDecision {
      let outcome = GrantOutcome(run.lastDecision)
      outline.count(slots.outcome(outcome, of: permission))
      if outcome == .granted { outline.count(slots.grantedOpen(permission), .ifOpen) }
      let hasAccess = outcome == .granted || outcome == .limited
      if hasAccess, first.action == .denied || first.action == .skipped { outline.count(slots.recovered(permission)) }
      outline.time(slots.decisionTime(permission), from: run.prompt, to: first.event)
    } else if wentOn {
      // A group that asked for the system's dialog and went on without an answer has dismissed it.
      outline.count(slots.outcome(run.askedForDialog ? .denied : .skipped, of: permission))
    } else {
      outline.count(slots.outcome(.unanswered, of: permission), .ifClosed)
      outline.count(slots.outcome(.inProgress, of: permission), .ifOpen)
    }
  }
}
