package import FunnelModel

/// The projectors of one flow version for one query, which share one aggregate and one matching of each group.
///
/// Each projector uses its own range of IDs in the aggregate.
// A class, because a struct with this many fields would be copied for every group.
package final class FlowProjection: Sendable {
  /// A projector and its first IDs in the aggregate.
  private struct Part: Sendable {
    let projector: any Projector
    let base: FirstIDs
  }

  package let query: FlowQuery
  /// The aggregate of no groups, which threads copy.
  package let emptyAggregate: Aggregate
  let durationCount: Int
  private let parts: [Part]
  /// The keys of each of the value counts, by ID, or `nil` for value counts of constant values.
  package let valueKeys: [[Dimension]?]
  private let finder: StepMatchFinder
  private let readsChain: Bool

  /// Creates the projection of a flow version.
  ///
  /// - Parameter projectors: The types of the projectors, each at most once. At most one may have histograms.
  package init(flow: FlowDefinition, query: ReportQuery, projectors: [any Projector.Type]) {
    let flowQuery = FlowQuery(flow: flow, query: query)
    var next = FirstIDs()
    var shape = AggregateShape()
    var valueKeys: [[Dimension]?] = []
    var crossings: [CrossShape] = []
    parts = projectors.map { type in
      let projector = type.init(flowQuery)
      defer {
        if type.hasHistograms {
          precondition(shape.histograms.isEmpty, "the durations with a histogram are those of one projector")
          shape.histograms = next.duration..<next.duration + projector.durationCount
        }
        valueKeys += projector.valueKeys
        crossings += projector.crossings
        next = next.advanced(by: projector)
      }
      return Part(projector: projector, base: next)
    }
    self.query = flowQuery
    self.valueKeys = valueKeys
    durationCount = next.duration
    shape.counters = next.counter
    shape.durations = next.duration
    shape.values = next.values
    shape.properties = next.properties
    shape.examples = next.example
    shape.crossings = crossings
    // No duration is longer than the window.
    emptyAggregate = Aggregate(shape, longest: flowQuery.clock.windowMilliseconds)
    finder = StepMatchFinder(flowQuery.segments, flow: flow, matcher: flowQuery.matcher)
    readsChain = finder.isNeeded || projectors.contains { $0.readsChain }
  }

  /// Adds the contributions of all projectors for a group.
  ///
  /// - Parameters:
  ///   - events: The events of the group in order, at least one.
  ///   - chain: Storage for matching, which the caller reuses for all groups.
  package func contribute(_ events: GroupEvents, into contribution: inout Contribution, chain: inout ChainMatch) {
    precondition(events.count > 0, "a group has events")
    if readsChain {
      if query.matcher.dependsOnTimes { contribution.noteDependsOnTimes() }
      let hasChain = query.matcher.match(events, into: &chain)
      finder.storeStepEvents(of: events, along: hasChain ? chain : nil, in: &contribution)
    }
    for part in parts {
      contribution.base = part.base
      part.projector.contribute(events, along: chain, into: &contribution)
    }
  }

  /// Returns the rule about all groups of a subject of the first projector that has one, or `nil` if none has.
  func makeSubjectRule() -> (any SubjectRule)? { parts.lazy.compactMap { $0.projector.makeSubjectRule() }.first }

  /// Returns the rows of one report, or `nil` if the projection does not include its projector.
  package func rows<P: Projector>(of type: P.Type, from aggregate: Aggregate) -> [P.Row]? {
    for part in parts {
      guard let projector = part.projector as? P else { continue }
      return projector.rows(from: SegmentedCounts(aggregate, base: part.base, query: query.segments))
    }
    return nil
  }
}

/// The first IDs of a projector in an ``Aggregate``: of its counters, durations, value counts, property counts, examples
/// and cross counts.
package struct FirstIDs: Sendable {
  @usableFromInline var counter = 0
  @usableFromInline var duration = 0
  var values = 0
  var properties = 0
  var example = 0
  var crossing = 0

  /// Returns the first IDs of the next projector.
  fileprivate func advanced(by projector: some Projector) -> FirstIDs {
    FirstIDs(
      counter: counter + projector.counterCount, duration: duration + projector.durationCount,
      values: values + projector.valueKeys.count, properties: properties + projector.propertiesCount,
      example: example + projector.exampleCount, crossing: crossing + projector.crossings.count)
  }
}
