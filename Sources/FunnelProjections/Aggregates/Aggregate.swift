package import FunnelSequences
package import FunnelModel

/// The number of elements of each type that an ``Aggregate`` has for a segment.
package struct AggregateShape: Hashable, Sendable {
  /// The number of counters.
  var counters = 0
  /// The number of duration distributions.
  var durations = 0
  /// The number of ``ValueCounts``.
  var values = 0
  /// The number of ``PropertyCounts``.
  var properties = 0
  /// The number of ``Examples``.
  var examples = 0
  /// The keys of each of the ``CrossCounts``.
  var crossings: [CrossShape] = []
  /// The IDs of the durations whose sum and histogram are kept.
  var histograms: Range<Int> = 0..<0

  /// Creates the shape of an aggregate without elements.
  package init() {}
}

/// The summed contributions of the groups of one flow version, by segment.
///
/// For each segment, an aggregate has counters, duration distributions, value counts, property counts, examples and
/// cross counts.
/// Each is identified by an ID, an index from 0 among those of its type. The projectors define what each ID is used
/// for (``FlowProjection``).
///
/// Aggregates of disjoint groups merge associatively and commutatively.
package struct Aggregate: Sendable {
  let shape: AggregateShape
  /// The segments, by number. Number 0 is the segment without values, which all groups belong to if the query has no `by`.
  private(set) var segments = [Segment(values: [])]
  private var numberOfSegment = [Segment(values: []): 0]
  // Each array has the elements of all segments, in the order of the segments: that of an ID is at segment * shape.… + ID.
  private var counters: [Int]
  private var durations: [DurationDistribution]
  private var values: [ValueCounts]
  private var properties: [PropertyCounts]
  private var examples: [Examples]
  private var crossings: [CrossCounts]
  /// The empty distributions of a new segment.
  private let noDurations: [DurationDistribution]

  /// Creates an empty aggregate.
  ///
  /// - Parameter longest: The longest duration to expect, in milliseconds. Longer durations take more memory.
  init(_ shape: AggregateShape, longest: Int64) {
    self.shape = shape
    noDurations = (0..<shape.durations).map {
      DurationDistribution(longest: longest, hasHistogram: shape.histograms.contains($0))
    }
    counters = Array(repeating: 0, count: shape.counters)
    durations = noDurations
    values = Array(repeating: ValueCounts(), count: shape.values)
    properties = Array(repeating: PropertyCounts(), count: shape.properties)
    examples = Array(repeating: Examples(), count: shape.examples)
    crossings = shape.crossings.map { CrossCounts($0) }
  }

  /// An aggregate without elements.
  package static let none = Aggregate(AggregateShape(), longest: 0)

  /// Returns the number of a segment, adding the segment if it is new.
  package mutating func segmentNumber(of segment: Segment) -> Int {
    if let number = numberOfSegment[segment] { return number }
    numberOfSegment[segment] = segments.count
    segments.append(segment)
    counters.append(contentsOf: repeatElement(0, count: shape.counters))
    durations.append(contentsOf: noDurations)
    values.append(contentsOf: repeatElement(ValueCounts(), count: shape.values))
    properties.append(contentsOf: repeatElement(PropertyCounts(), count: shape.properties))
    examples.append(contentsOf: repeatElement(Examples(), count: shape.examples))
    crossings += shape.crossings.map { CrossCounts($0) }
    return segments.count - 1
  }

  /// Adds to a counter.
  @inline(__always)
  package mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    counters[segment * shape.counters + counter] += amount
  }

  /// Records a duration in milliseconds.
  @inline(__always)
  package mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].record(milliseconds)
  }

  /// Records many durations in milliseconds.
  mutating func record(_ milliseconds: Span<Int64>, of duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].record(milliseconds)
  }

  /// Adds a combination of values to value counts.
  package mutating func count(_ more: [PropertyValue], _ amount: Int = 1, in id: Int, of segment: Int) {
    values[segment * shape.values + id].add(more, amount)
  }

  /// Adds a value of a property to property counts.
  package mutating func countProperty(_ key: String, _ value: PropertyValue, _ amount: Int, in id: Int, of segment: Int) {
    properties[segment * shape.properties + id].add(value, of: key, amount)
  }

  /// Adds the counts of a property's values to property counts.
  mutating func mergeProperty(_ key: String, _ more: PropertyValueCounts, in id: Int, of segment: Int) {
    properties[segment * shape.properties + id].merge(more, of: key)
  }

  /// Adds a subject to examples.
  package mutating func addExample(_ subject: String, to id: Int, in segment: Int) {
    examples[segment * shape.examples + id].add(subject)
  }

  /// Adds cross counts of other groups.
  mutating func merge(_ counts: CrossCounts, into id: Int, in segment: Int) {
    crossings[segment * shape.crossings.count + id].merge(counts)
  }

  /// Adds the aggregate of other groups, which must have been made by the same projection.
  package mutating func merge(_ other: Aggregate) {
    precondition(shape == other.shape, "tallies of different projectors don't add up")
    for (number, segment) in other.segments.enumerated() {
      let own = segmentNumber(of: segment)
      for counter in 0..<shape.counters {
        counters[own * shape.counters + counter] += other.counters[number * shape.counters + counter]
      }
      for duration in 0..<shape.durations {
        durations[own * shape.durations + duration].merge(other.durations[number * shape.durations + duration])
      }
      for id in 0..<shape.values { values[own * shape.values + id].merge(other.values(of: id, in: number)) }
      for id in 0..<shape.properties {
        properties[own * shape.properties + id].merge(other.properties(of: id, in: number))
      }
      for id in 0..<shape.examples { examples[own * shape.examples + id].merge(other.examples(of: id, in: number)) }
      for id in shape.crossings.indices { merge(other.crossing(id, in: number), into: id, in: own) }
    }
  }
}

extension Aggregate {
  /// Returns the value of a counter.
  func count(of counter: Int, in segment: Int) -> Int { counters[segment * shape.counters + counter] }

  /// Returns the distribution of a duration.
  func distribution(of duration: Int, in segment: Int) -> DurationDistribution {
    durations[segment * shape.durations + duration]
  }

  /// Returns the value counts with an ID.
  func values(of id: Int, in segment: Int) -> ValueCounts { values[segment * shape.values + id] }

  /// Returns the property counts with an ID.
  func properties(of id: Int, in segment: Int) -> PropertyCounts { properties[segment * shape.properties + id] }

  /// Returns the examples with an ID.
  func examples(of id: Int, in segment: Int) -> Examples { examples[segment * shape.examples + id] }

  /// Returns the cross counts with an ID.
  func crossing(_ id: Int, in segment: Int) -> CrossCounts { crossings[segment * shape.crossings.count + id] }

  /// Adds a distribution to that of a duration.
  mutating func merge(_ distribution: DurationDistribution, into duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].merge(distribution)
  }

  /// Returns the quantiles of a duration, or `nil` if none was recorded.
  func quantiles(of duration: Int, in segment: Int) -> Quantiles? { distribution(of: duration, in: segment).quantiles }
}
