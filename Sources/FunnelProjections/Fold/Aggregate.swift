package import FunnelHistories
package import FunnelModel

/// The numbers of counters, durations, values, properties and examples that projectors count in a segment.
package struct AggregateShape: Hashable, Sendable {
  var counters = 0
  var durations = 0
  var values = 0
  var properties = 0
  var examples = 0
  /// The durations of which the sum and the histogram are kept.
  var histograms: Range<Int> = 0..<0

  package init() {}
}

/// The state of a fold of one flow version: counters, durations, values, properties and examples for each segment in which groups were counted.
///
/// Each projector defines the meaning of what it counts (``FlowProjection``). Tallies of disjoint groups merge associatively and
/// commutatively.
public struct Aggregate: Sendable {
  let shape: AggregateShape
  /// The segments, by their number. Number 0 is the segment without values, which all groups belong to if the query has no `by`.
  private(set) var segments = [Segment(values: [])]
  private var numberOfSegment = [Segment(values: []): 0]
  /// The counters of all segments, one segment after the other.
  private var counters: [Int]
  private var durations: [DurationDistribution]
  private var values: [ValueCounts]
  private var properties: [PropertyCounts]
  private var examples: [Examples]
  private let noDurations: [DurationDistribution]

  /// Creates an empty tally; few durations are longer than `longest` milliseconds.
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
  }

  /// A tally in which nothing is counted.
  package static let none = Aggregate(AggregateShape(), longest: 0)

  /// Returns the number of a segment, which is added if it is new.
  package mutating func segmentNumber(of segment: Segment) -> Int {
    if let number = numberOfSegment[segment] { return number }
    numberOfSegment[segment] = segments.count
    segments.append(segment)
    counters.append(contentsOf: repeatElement(0, count: shape.counters))
    durations.append(contentsOf: noDurations)
    values.append(contentsOf: repeatElement(ValueCounts(), count: shape.values))
    properties.append(contentsOf: repeatElement(PropertyCounts(), count: shape.properties))
    examples.append(contentsOf: repeatElement(Examples(), count: shape.examples))
    return segments.count - 1
  }

  @inline(__always)
  package mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    counters[segment * shape.counters + counter] += amount
  }

  @inline(__always)
  package mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].record(milliseconds)
  }

  /// Records many times at once.
  mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>, of duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].record(milliseconds)
  }

  /// Counts values in a slot.
  package mutating func count(_ more: [PropertyValue], _ amount: Int = 1, in slot: Int, of segment: Int) {
    values[segment * shape.values + slot].add(more, amount)
  }

  /// Counts a value of a property in a slot.
  package mutating func countProperty(_ key: String, _ value: PropertyValue, _ amount: Int, in slot: Int, of segment: Int) {
    properties[segment * shape.properties + slot].add(value, of: key, amount)
  }

  /// Adds counts of the values of a property to those of a slot.
  mutating func mergeProperty(_ key: String, _ more: PropertyValueCounts, in slot: Int, of segment: Int) {
    properties[segment * shape.properties + slot].merge(more, of: key)
  }

  /// Adds a subject to the examples of a slot.
  package mutating func addExample(_ subject: String, to slot: Int, in segment: Int) {
    examples[segment * shape.examples + slot].add(subject)
  }

  /// Adds the counts of other groups, which must have been counted by the same projection.
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
      for slot in 0..<shape.values { values[own * shape.values + slot].merge(other.values(of: slot, in: number)) }
      for slot in 0..<shape.properties {
        properties[own * shape.properties + slot].merge(other.properties(of: slot, in: number))
      }
      for slot in 0..<shape.examples { examples[own * shape.examples + slot].merge(other.examples(of: slot, in: number)) }
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

  /// Returns the values counted in a slot.
  func values(of slot: Int, in segment: Int) -> ValueCounts { values[segment * shape.values + slot] }

  /// Returns the properties counted in a slot.
  func properties(of slot: Int, in segment: Int) -> PropertyCounts { properties[segment * shape.properties + slot] }

  /// Returns the examples of a slot.
  func examples(of slot: Int, in segment: Int) -> Examples { examples[segment * shape.examples + slot] }

  /// Adds the durations of a distribution.
  mutating func merge(_ distribution: DurationDistribution, into duration: Int, in segment: Int) {
    durations[segment * shape.durations + duration].merge(distribution)
  }

  /// Returns the quantiles of a duration, or nil if nothing was recorded.
  func quantiles(of duration: Int, in segment: Int) -> Quantiles? { distribution(of: duration, in: segment).quantiles }
}
