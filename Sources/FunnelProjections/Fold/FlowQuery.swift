public import FunnelModel

/// A query about one flow version: the query with what follows from the flow's definition.
public struct FlowQuery: Sendable {
  public let flow: FlowDefinition
  public let query: ReportQuery
  /// Finds the chain of required steps of a group.
  public let matcher: StepMatcher
  /// Cuts a subject's events into entries, whatever the period and the anchor that counts.
  public let entryMatcher: StepMatcher
  /// The conversion window.
  public let clock: WindowClock
  /// The period in which a group may start to count.
  public let span: AnchorSpan
  package let segments: SegmentQuery

  public init(flow: FlowDefinition, query: ReportQuery) {
    self.flow = flow
    self.query = query
    matcher = StepMatcher(flow: flow, query: query)
    var ofEntries = query
    ofEntries.anchor = .first
    entryMatcher = StepMatcher(flow: flow, query: ofEntries)
    clock = WindowClock(flow: flow, query: query)
    span = AnchorSpan(query: query)
    segments = SegmentQuery(flow: flow, query: query)
  }

  /// Whether all groups belong to one segment and no condition leaves any out.
  public var hasOneSegment: Bool { segments.isWhole }

  /// Whether groups that began before the period and again in it are counted. They have no anchor in the period that segments or conditions
  /// could be about, and there are none without a beginning of the period, or if the best anchor in it counts.
  public var countsReturned: Bool { hasOneSegment && query.since != nil && query.anchor == .first }

  /// The unit that is a group.
  public var countBy: FlowDefinition.CountBy { query.countBy ?? flow.countBy }

  /// Whether each attempt at the flow is a group of its own.
  public var countsByAttempt: Bool { countBy == .attempt }
}
