public import FunnelHistories
public import FunnelModel

/// Counts the groups that reach each step of a flow, and measures how long they take (specification section 3).
public struct FunnelProjector: Projector, Outliner {
  public static let name = "funnel"

  let flow: FlowDefinition
  let matcher: StepMatcher
  let question: SegmentQuestion
  let clock: WindowClock
  let slots: FunnelSlots
  /// Whether optional steps are counted. If steps come in any order, an optional step has no place between them.
  let countsOptionalSteps: Bool

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.init(flow: flow, query: query, counterBase: 0, durationBase: 0)
  }

  /// Creates a projector whose counters and durations follow those of other projectors in a sheet.
  init(flow: FlowDefinition, query: ReportQuery, counterBase: Int, durationBase: Int) {
    self.flow = flow
    matcher = StepMatcher(flow: flow, query: query)
    question = SegmentQuestion(flow: flow, query: query)
    clock = WindowClock(flow: flow, query: query)
    slots = FunnelSlots(counterBase: counterBase, durationBase: durationBase, stepCount: flow.steps.count)
    countsOptionalSteps = query.order != .any
  }

  var counterCount: Int { slots.counterCount }
  var durationCount: Int { slots.durationCount }

  public var emptyState: Tally { emptyTally }

  public func fold(_ journey: Journey, into state: inout Tally) { count(journey, into: &state) }

  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch) {
    guard matcher.match(events, into: &scratch.match) else { return }
    StepMatchFinder(question, flow: flow, matcher: matcher).note(scratch.match, of: events, in: &outline)
    self.outline(events, along: scratch.match, into: &outline)
  }

  /// Adds the counts of a group whose chain is known.
  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch, into outline: inout Outline) {
    outline.beginPart(at: match.anchor)
    outline.count(slots.entered)
    outline.count(slots.enteredOpen, .ifOpen)
    if match.level == matcher.requiredSteps.count {
      outline.count(slots.completed)
      outline.count(slots.completedOpen, .ifOpen)
    } else {
      let step = matcher.requiredSteps[match.level - 1]
      if matcher.hasEnded(events, along: match) {
        outline.count(slots.dropped(step))
      } else {
        outline.count(slots.dropped(step), .ifClosed)
        outline.count(slots.inProgress(step), .ifOpen)
      }
    }
    for place in 1..<max(1, match.level) {
      outline.time(slots.time(matcher.requiredSteps[place]), from: match[place - 1], to: match[place])
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: match) else { continue }
      outline.count(slots.optionalReached(optional.step))
      guard let previous = optional.previous else { continue }
      outline.time(slots.time(optional.step), from: match[previous], to: entry)
    }
  }
}

/// The counter and duration numbers of a funnel report, by step of the flow.
struct FunnelSlots: Sendable {
  let counterBase: Int
  let durationBase: Int
  let stepCount: Int

  var entered: Int { counterBase }
  var completed: Int { counterBase + 1 }
  /// The counter of entered groups whose window is open: they are few, so this is cheaper than counting those whose window is closed.
  var enteredOpen: Int { counterBase + 2 }
  /// The counter of completed groups whose window is open.
  var completedOpen: Int { counterBase + 3 }
  private var stepBase: Int { counterBase + 4 }
  /// Returns the counter of groups that dropped off at a required step, the last one they matched.
  func dropped(_ step: Int) -> Int { stepBase + step }
  /// Returns the counter of groups in progress at a required step, the last one they matched.
  func inProgress(_ step: Int) -> Int { stepBase + stepCount + step }
  /// Returns the counter of groups that reached an optional step.
  func optionalReached(_ step: Int) -> Int { stepBase + 2 * stepCount + step }
  var counterCount: Int { stepBase - counterBase + 3 * stepCount }

  /// Returns the duration from the match of the previous required step.
  func time(_ step: Int) -> Int { durationBase + step }
  var durationCount: Int { stepCount }
}
