import FunnelHistories
import FunnelModel

/// Finds the matches of the steps that segments depend on (`--by step.ID.props.KEY`), for one flow version.
struct StepMatchFinder: Sendable {
  private let matcher: StepMatcher
  /// The steps as indices in the flow; nil for an id that is not in the flow.
  private let steps: [Int?]

  init(_ question: SegmentQuestion, flow: FlowDefinition, matcher: StepMatcher) {
    self.matcher = matcher
    steps = question.steps.map { id in flow.steps.firstIndex { $0.id == id } }
  }

  /// Whether segments depend on matches.
  var isNeeded: Bool { !steps.isEmpty }

  /// Records in an outline which event matched each step.
  ///
  /// - Parameter match: The group's chain, or nil if it has none.
  func note(_ match: ChainMatch?, of events: UnsafeBufferPointer<JourneyEvent>, in outline: inout Outline) {
    guard isNeeded else { return }
    outline.stepEvents = steps.map { step in
      guard let match, let step, let event = matcher.match(ofStep: step, in: events, along: match) else { return Outline.none }
      return UInt32(event)
    }
  }
}
