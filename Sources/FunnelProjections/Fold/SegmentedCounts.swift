public import FunnelHistories
import FunnelModel

/// The counts of one projector by segment, from which it makes its rows.
public struct SegmentedCounts {
  private let aggregate: Aggregate
  private let base: SlotBase
  private let question: SegmentQuery

  init(_ aggregate: Aggregate, base: SlotBase, question: SegmentQuery) {
    self.aggregate = aggregate
    self.base = base
    self.question = question
  }

  /// The counts of the segment without values.
  public var whole: SegmentCounts { counts(ofSegment: 0) }

  /// Returns the counts of the segments in which a counter is not zero, in the order of the query's segments; the counter is a segment's size.
  public func sized(by counter: Int) -> [SegmentCounts] {
    let order = SegmentOrder(by: question.query.by)
    return aggregate.segments.indices.map { counts(ofSegment: $0) }.filter { $0[counter] > 0 }
      .sorted { order.precedes(($0.segment, $0[counter]), ($1.segment, $1[counter])) }
  }

  /// The counts of all segments, in no particular order.
  public var all: [SegmentCounts] { aggregate.segments.indices.map { counts(ofSegment: $0) } }

  /// Returns elements, each with its segment and size, in the order of segments by the first dimensions of the query.
  ///
  /// - Parameter dimensionCount: The number of dimensions that the segments have.
  public func inOrder<Element>(
    _ elements: [(segment: Segment, size: Int, element: Element)], dimensionCount: Int
  ) -> [(segment: Segment, size: Int, element: Element)] {
    let order = SegmentOrder(by: Array(question.query.by.prefix(dimensionCount)))
    return elements.sorted { order.precedes(($0.segment, $0.size), ($1.segment, $1.size)) }
  }

  private func counts(ofSegment number: Int) -> SegmentCounts {
    SegmentCounts(aggregate: aggregate, number: number, base: base)
  }
}

/// The counts of one projector in one segment.
public struct SegmentCounts {
  fileprivate let aggregate: Aggregate
  fileprivate let number: Int
  fileprivate let base: SlotBase

  public var segment: Segment { aggregate.segments[number] }

  /// The value of a counter.
  public subscript(counter: Int) -> Int { aggregate.count(of: base.counter + counter, in: number) }

  /// Returns the values counted in a slot.
  public func values(of slot: Int) -> ValueCounts { aggregate.values(of: base.values + slot, in: number) }

  /// Returns the properties counted in a slot.
  public func properties(of slot: Int) -> PropertyCounts { aggregate.properties(of: base.properties + slot, in: number) }

  /// Returns the examples of a slot.
  public func examples(of slot: Int) -> Examples { aggregate.examples(of: base.example + slot, in: number) }

  /// Returns the distribution of a duration.
  public func distribution(of duration: Int) -> DurationDistribution {
    aggregate.distribution(of: base.duration + duration, in: number)
  }

  /// Returns the quantiles of a duration.
  public func quantiles(of duration: Int) -> Quantiles? { aggregate.quantiles(of: base.duration + duration, in: number) }
}
