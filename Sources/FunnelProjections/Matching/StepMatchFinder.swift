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
  init(_ segments: SegmentQuery, flow: FlowDefinition, matcher: StepMatcher) {
    self.matcher = matcher
    steps = segments.steps.map { id in flow.steps.firstIndex { $0.id == id } }
    var query = segments.query
    query.since = nil
    query.until = nil
    matcherOfAllTime = query == segments.query ? nil : StepMatcher(flow: flow, query: query)
  }

  /// Whether segments depend on events of steps.
  var isNeeded: Bool { !steps.isEmpty }

  /// Stores the events of each step in ``Contribution/stepEvents``.
  ///
  /// - Parameter chain: The group's chain, or `nil` if it has no anchor.
  func storeStepEvents(of events: GroupEvents, along chain: ChainMatch?, in contribution: inout Contribution) {
    guard isNeeded else { return }
    let chain = chain ?? chainOfAllTime(events)
    contribution.stepEvents.removeAll(keepingCapacity: true)
    for step in steps {
      guard let chain, let step else {
        contribution.stepEvents.append(nil)
        continue
      }
      contribution.stepEvents.append(matcher.stepEvents(ofStep: step, in: events, along: chain))
    }
  }

  /// Returns the group's chain regardless of the period, or `nil` if it has no anchor.
  private func chainOfAllTime(_ events: GroupEvents) -> ChainMatch? {
    guard let matcherOfAllTime else { return nil }
    var chain = ChainMatch()
    return matcherOfAllTime.match(events, into: &chain) ? chain : nil
  }
}
