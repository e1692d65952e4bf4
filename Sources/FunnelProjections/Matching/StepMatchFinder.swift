import FunnelHistories
import FunnelModel

/// Finds the events of the steps that segments depend on (`--by step.ID.props.KEY`), for one flow version.
///
/// They are those of the group's chain, also if its anchor is outside the period of the query: permissions may be asked for at another
/// time than the flow is entered.
struct StepMatchFinder: Sendable {
  private let matcher: StepMatcher
  /// The matcher of the same query about all time; nil if the query is about all time itself.
  private let matcherOfAllTime: StepMatcher?
  /// The steps as indices in the flow; nil for an id that is not in the flow.
  private let steps: [Int?]

  init(_ question: SegmentQuestion, flow: FlowDefinition, matcher: StepMatcher) {
    self.matcher = matcher
    steps = question.steps.map { id in flow.steps.firstIndex { $0.id == id } }
    var query = question.query
    (query.since, query.until) = (nil, nil)
    matcherOfAllTime = query == question.query ? nil : StepMatcher(flow: flow, query: query)
  }

  /// Whether segments depend on events of steps.
  var isNeeded: Bool { !steps.isEmpty }

  /// Records in an outline the events of each step: the one that matched it, and its first completion in the stay.
  ///
  /// - Parameter match: The group's chain, or nil if it has none in the period.
  func note(_ match: ChainMatch?, of events: UnsafeBufferPointer<JourneyEvent>, in outline: inout Outline) {
    guard isNeeded else { return }
    let match = match ?? chainOfAllTime(events)
    outline.stepEvents = steps.flatMap { step in
      guard let match, let step, let event = matcher.match(ofStep: step, in: events, along: match) else {
        return [Outline.none, Outline.none]
      }
      let completion = completion(ofStep: step, from: event, in: events, along: match, outline)
      return [UInt32(event), completion.map { UInt32($0) } ?? Outline.none]
    }
  }

  private func chainOfAllTime(_ events: UnsafeBufferPointer<JourneyEvent>) -> ChainMatch? {
    guard let matcherOfAllTime else { return nil }
    var match = ChainMatch()
    return matcherOfAllTime.match(events, into: &match) ? match : nil
  }

  /// Returns the first completion of a step in its stay: from its match up to the next one of a required step, or to the end of the window.
  private func completion(
    ofStep step: Int, from start: Int, in events: UnsafeBufferPointer<JourneyEvent>, along match: ChainMatch,
    _ outline: borrowing Outline
  ) -> Int? {
    let end = (0..<match.level).lazy.map { match[$0] }.first { $0 > start } ?? events.count
    return (start..<end).prefix { events[$0].milliseconds <= match.deadline }.first { index in
      guard let detail = outline.detail(of: events[index]) else { return false }
      return detail.stepIndex == step && detail.stepEvent == .completed
    }
  }
}
