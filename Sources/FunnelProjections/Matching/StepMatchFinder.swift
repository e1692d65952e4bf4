import FunnelSequences
import FunnelModel

/// Finds the events that provide the values of steps, for segments by a property of a step (`--by step.ID.props.KEY`).
///
/// The events are those of the group's chain, even if its anchor is outside the period of the query.
// The period matters only to the anchor. A permission may be requested at another time than the flow is entered.
struct StepMatchFinder: Sendable {
  private let matcher: StepMatcher
  /// The matcher of the same query without a period, or `nil` if the query has no period.
  private let matcherOfAllTime: StepMatcher?
  /// The index in the flow of each step, or `nil` for a step that is not in the flow.
  private let steps: [Int?]

  /// Creates the finder of a flow version.
  ///
  /// - Parameter matcher: The matcher of the query about this flow version.
  init(_ question: SegmentQuery, flow: FlowDefinition, matcher: StepMatcher) {
    self.matcher = matcher
    steps = question.steps.map { id in flow.steps.firstIndex { $0.id == id } }
    var query = question.query
    query.since = nil
    query.until = nil
    matcherOfAllTime = query == question.query ? nil : StepMatcher(flow: flow, query: query)
  }

  /// Whether segments depend on events of steps.
  var isNeeded: Bool { !steps.isEmpty }

  /// Stores the match and the first completion of each step in ``Contribution/stepEvents``.
  ///
  /// - Parameter match: The group's chain, or `nil` if it has no anchor.
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

  /// Returns the group's chain regardless of the period, or `nil` if it has no anchor.
  private func chainOfAllTime(_ events: UnsafeBufferPointer<FlowEvent>) -> ChainMatch? {
    guard let matcherOfAllTime else { return nil }
    var match = ChainMatch()
    return matcherOfAllTime.match(events, into: &match) ? match : nil
  }
}

extension StepMatcher {
  /// Returns the events of a group that provide the values of a step: its match and its first completion.
  ///
  /// A completion must come at or after the match, before the next match of a required step, and within the conversion window.
  ///
  /// - Parameters:
  ///   - step: The index of the step in the flow.
  ///   - contribution: The source of the details of events. Without details, no completion is found.
  /// - Returns: The indices of the events, or `nil` if the step is not matched. The completion is `nil` if there is none.
  func stepEvents(
    ofStep step: Int, in events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, _ contribution: borrowing Contribution
  ) -> (match: Int, completion: Int?)? {
    guard let match = match(ofStep: step, in: events, along: chain) else { return nil }
    let end = (0..<chain.matchedStepCount).lazy.map { chain[$0] }.first { $0 > match } ?? events.count
    let completion = (match..<end).prefix { chain.window.contains(events[$0].milliseconds) }.first { index in
      guard let detail = contribution.detail(of: events[index]) else { return false }
      return detail.stepIndex == step && detail.stepEvent == .completed
    }
    return (match, completion)
  }
}
