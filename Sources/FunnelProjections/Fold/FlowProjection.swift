package import FunnelHistories
public import FunnelModel

/// The selected projectors of one flow version, which count into one tally. The chain of a group is matched once for all of them.
///
/// It is a class so that it is not copied when it is used for every group.
public final class FlowProjection: Sendable {
  /// A projector and the start of its counters and durations among those of a segment.
  private struct Part: Sendable {
    let projector: any Projector
    let base: SlotBase
  }

  package let query: FlowQuery
  /// The initial tally. It is made once, so that the threads share the storage they do not change.
  package let emptyAggregate: Aggregate
  let durationCount: Int
  private let parts: [Part]
  /// The keys of each slot in which values are counted; nil for a slot whose values a projector makes.
  package let valueKeys: [[Dimension]?]
  private let finder: StepMatchFinder
  private let readsChain: Bool

  /// Creates the projection of a flow version for a query.
  ///
  /// - Parameter projectors: The projectors, each at most once.
  public init(flow: FlowDefinition, query: ReportQuery, projectors: [any Projector.Type]) {
    let flowQuery = FlowQuery(flow: flow, query: query)
    var next = SlotBase()
    var shape = AggregateShape()
    var valueKeys: [[Dimension]?] = []
    parts = projectors.map { type in
      let projector = type.init(flowQuery)
      defer {
        if type.hasHistograms {
          precondition(shape.histograms.isEmpty, "the durations with a histogram are those of one projector")
          shape.histograms = next.duration..<next.duration + projector.durationCount
        }
        valueKeys += projector.valueKeys
        next = next.advanced(by: projector)
      }
      return Part(projector: projector, base: next)
    }
    self.query = flowQuery
    self.valueKeys = valueKeys
    durationCount = next.duration
    (shape.counters, shape.durations, shape.values) = (next.counter, next.duration, next.values)
    (shape.properties, shape.examples) = (next.properties, next.example)
    // No duration is longer than the window.
    emptyAggregate = Aggregate(shape, longest: flowQuery.clock.window)
    finder = StepMatchFinder(flowQuery.segments, flow: flow, matcher: flowQuery.matcher)
    readsChain = finder.isNeeded || projectors.contains { $0.readsChain }
  }

  /// Adds what a group counts for in all reports to an outline.
  ///
  /// - Parameter chain: Storage for the chain, reused from group to group so that matching allocates nothing.
  package func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, into contribution: inout Contribution, chain: inout ChainMatch
  ) {
    if readsChain {
      if query.matcher.dependsOnTimes { contribution.noteDependsOnTimes() }
      let hasChain = query.matcher.match(events, into: &chain)
      finder.note(hasChain ? chain : nil, of: events, in: &contribution)
    }
    for part in parts {
      contribution.base = part.base
      part.projector.contribute(events, along: chain, into: &contribution)
    }
  }

  /// Returns the rule about all groups of a subject, if a projector has one.
  func makeSubjectRule() -> (any SubjectRule)? { parts.lazy.compactMap { $0.projector.makeSubjectRule() }.first }

  /// Returns the rows of one report, or nil if its projector was not selected.
  public func rows<P: Projector>(of type: P.Type, from aggregate: Aggregate) -> [P.Row]? {
    for part in parts {
      guard let projector = part.projector as? P else { continue }
      return projector.rows(from: SegmentedCounts(aggregate, base: part.base, question: query.segments))
    }
    return nil
  }
}

/// The first counter, duration, values slot, properties slot and example slot of a projector among those of a segment.
package struct SlotBase: Sendable {
  var counter = 0
  var duration = 0
  var values = 0
  var properties = 0
  var example = 0

  /// Returns the base of the projector that follows.
  fileprivate func advanced(by projector: some Projector) -> SlotBase {
    SlotBase(
      counter: counter + projector.counterCount, duration: duration + projector.durationCount,
      values: values + projector.valueKeys.count, properties: properties + projector.propertiesCount,
      example: example + projector.exampleCount)
  }
}
