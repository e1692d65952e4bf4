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

  init(_ question: SegmentQuery, flow: FlowDefinition, matcher: StepMatcher) {
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
  func note(_ match: ChainMatch?, of events: UnsafeBufferPointer<FlowEvent>, in contribution: inout Contribution) {
    guard isNeeded else { return }
    let match = match ?? chainOfAllTime(events)
    contribution.stepEvents = steps.flatMap { step in
      guard let match, let step, let found = matcher.stepEvents(ofStep: step, in: events, along: match, contribution) else {
        return [Contribution.none, Contribution.none]
      }
      return [UInt32(found.match), found.completion.map { UInt32($0) } ?? Contribution.none]
    }
  }

  private func chainOfAllTime(_ events: UnsafeBufferPointer<FlowEvent>) -> ChainMatch? {
    guard let matcherOfAllTime else { return nil }
    var match = ChainMatch()
    return matcherOfAllTime.match(events, into: &match) ? match : nil
  }
}

extension StepMatcher {
  /// Returns the events of a group that provide the values of a step: the event that matched it, and its first completion in the stay, which
  /// lasts from the match up to the next match of a required step, or to the end of the window.
  ///
  /// - Parameter outline: The outline that knows the details of the events. Without details no completion is found.
  /// - Returns: The indices of the events, or nil if the step is not matched.
  func stepEvents(
    ofStep step: Int, in events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, _ contribution: borrowing Contribution
  ) -> (match: Int, completion: Int?)? {
    guard let match = match(ofStep: step, in: events, along: chain) else { return nil }
    let end = (0..<chain.level).lazy.map { chain[$0] }.first { $0 > match } ?? events.count
    let completion = (match..<end).prefix { events[$0].milliseconds <= chain.deadline }.first { index in
      guard let detail = contribution.detail(of: events[index]) else { return false }
      return detail.stepIndex == step && detail.stepEvent == .completed
    }
    return (match, completion)
  }
}
