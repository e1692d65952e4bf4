package import FunnelSequences
package import FunnelModel

/// The counts of one projector in all segments, from which it makes the rows of its report.
package struct SegmentedCounts {
  private let aggregate: Aggregate
  private let base: FirstIDs
  private let query: SegmentQuery

  /// Creates the counts of the projector whose IDs start at `base`.
  init(_ aggregate: Aggregate, base: FirstIDs, query: SegmentQuery) {
    self.aggregate = aggregate
    self.base = base
    self.query = query
  }

  /// The counts of the segment without values. That includes all groups only if the query has no dimensions.
  package var whole: SegmentCounts { counts(ofSegment: 0) }

  /// Returns the counts of the segments in which a counter is not zero, in the order of reports.
  ///
  /// - Parameter counter: The ID of the counter that is the size of a segment.
  package func sized(by counter: Int) -> [SegmentCounts] {
    let order = SegmentOrder(by: query.query.by)
    return aggregate.segments.indices.map { counts(ofSegment: $0) }.filter { $0[counter] > 0 }
      .sorted { order.precedes(($0.segment, $0[counter]), ($1.segment, $1[counter])) }
  }

  /// The counts of all segments, in unspecified order.
  package var all: [SegmentCounts] { aggregate.segments.indices.map { counts(ofSegment: $0) } }

  /// Returns elements sorted by segment, in the order of reports.
  ///
  /// - Parameters:
  ///   - elements: The elements, each with its segment and the size of the segment.
  ///   - dimensionCount: The number of values of the segments, which are those of the first dimensions of the query.
  package func inOrder<Element>(
    _ elements: [(segment: Segment, size: Int, element: Element)], dimensionCount: Int
  ) -> [(segment: Segment, size: Int, element: Element)] {
    let order = SegmentOrder(by: Array(query.query.by.prefix(dimensionCount)))
    return elements.sorted { order.precedes(($0.segment, $0.size), ($1.segment, $1.size)) }
  }

  private func counts(ofSegment number: Int) -> SegmentCounts {
    SegmentCounts(aggregate: aggregate, number: number, base: base)
  }
}

/// The counts of one projector in one segment.
package struct SegmentCounts {
  fileprivate let aggregate: Aggregate
  fileprivate let number: Int
  fileprivate let base: FirstIDs

  /// The segment.
  package var segment: Segment { aggregate.segments[number] }

  /// Returns the value of a counter.
  package subscript(counter: Int) -> Int { aggregate.count(of: base.counter + counter, in: number) }

  /// Returns the value counts with an ID.
  package func values(of id: Int) -> ValueCounts { aggregate.values(of: base.values + id, in: number) }

  /// Returns the property counts with an ID.
  package func properties(of id: Int) -> PropertyCounts { aggregate.properties(of: base.properties + id, in: number) }

  /// Returns the examples with an ID.
  package func examples(of id: Int) -> Examples { aggregate.examples(of: base.example + id, in: number) }

  /// Returns the cross counts with an ID.
  package func crossing(_ id: Int) -> CrossCounts { aggregate.crossing(base.crossing + id, in: number) }

  /// Returns the distribution of a duration.
  package func distribution(of duration: Int) -> DurationDistribution {
    aggregate.distribution(of: base.duration + duration, in: number)
  }

  /// Returns the quantiles of a duration, or `nil` if none was recorded.
  package func quantiles(of duration: Int) -> Quantiles? { aggregate.quantiles(of: base.duration + duration, in: number) }
}
