package import FunnelModel

/// A query about one flow version, with the matchers, clock and segments that it uses.
package struct FlowQuery: Sendable {
  /// The definition of the flow version.
  package let flow: FlowDefinition
  package let query: ReportQuery
  /// The matcher that finds the chain of a group.
  package let matcher: StepMatcher
  /// The matcher that splits a subject's events into entries. It always uses the first anchor.
  package let entryMatcher: StepMatcher
  /// The clock of the conversion window.
  package let clock: WindowClock
  /// The period in which the anchor of a group must be.
  package let period: AnchorPeriod
  /// The segments and conditions of the query.
  package let segments: SegmentQuery

  /// Creates the query about a flow version.
  package init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    self.query = query
    matcher = StepMatcher(flow: flow, query: query)
    var entryQuery = query
    entryQuery.anchor = .first
    entryMatcher = StepMatcher(flow: flow, query: entryQuery)
    clock = WindowClock(flow: flow, query: query)
    period = AnchorPeriod(query: query)
    segments = SegmentQuery(flow: flow, query: query)
  }

  /// Whether the query has neither dimensions nor conditions, so all groups belong to one segment.
  package var hasOneSegment: Bool { segments.isWhole }

  /// Whether groups whose anchor is before the period, and which enter the flow again in it, are counted.
  // They need a start of the period, and the first anchor must count. They have no anchor in the period that could
  // select a segment.
  package var countsReturned: Bool { hasOneSegment && query.since != nil && query.anchor == .first }

  /// The unit that is counted as a group: a person, subject, attempt or entry.
  package var countBy: FlowDefinition.CountBy { query.unit(of: flow) }

  /// Whether each attempt at the flow is a group of its own.
  package var countsByAttempt: Bool { countBy == .attempt }
}
