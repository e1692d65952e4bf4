package import FunnelHistories
import FunnelModel

/// The state of a fold of one flow version: counters and durations for each segment in which groups were counted.
///
/// Each projector defines the meaning of its counters and durations (``FlowProjection``). Tallies of disjoint groups merge associatively
/// and commutatively.
public struct Tally: Sendable {
  let counterCount: Int
  let durationCount: Int
  /// The segments, by their number. Number 0 is the segment without values, which all groups belong to if the query has no `by`.
  private(set) var segments = [Segment(values: [])]
  private var numberOfSegment = [Segment(values: []): 0]
  /// The counters of all segments, one segment after the other.
  private var counters: [Int]
  private var durations: [DurationDistribution]
  private let noDurations: DurationDistribution

  /// Creates an empty tally with this many counters and durations for each segment; few durations are longer than `longest` milliseconds.
  init(counterCount: Int, durationCount: Int, longest: Int64) {
    self.counterCount = counterCount
    self.durationCount = durationCount
    noDurations = DurationDistribution(longest: longest)
    counters = Array(repeating: 0, count: counterCount)
    durations = Array(repeating: noDurations, count: durationCount)
  }

  /// A tally without counters and durations.
  package static let none = Tally(counterCount: 0, durationCount: 0, longest: 0)

  /// Returns the number of a segment, which is added if it is new.
  package mutating func segmentNumber(of segment: Segment) -> Int {
    if let number = numberOfSegment[segment] { return number }
    numberOfSegment[segment] = segments.count
    segments.append(segment)
    counters.append(contentsOf: repeatElement(0, count: counterCount))
    durations.append(contentsOf: repeatElement(noDurations, count: durationCount))
    return segments.count - 1
  }

  @inline(__always)
  package mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    counters[segment * counterCount + counter] += amount
  }

  @inline(__always)
  package mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    durations[segment * durationCount + duration].record(milliseconds)
  }

  /// Records many times at once.
  mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>, of duration: Int, in segment: Int) {
    durations[segment * durationCount + duration].record(milliseconds)
  }

  /// Adds the counts of other groups, which must have been counted by the same projection.
  package mutating func merge(_ other: Tally) {
    precondition(
      counterCount == other.counterCount && durationCount == other.durationCount, "tallies of different projectors don't add up"
    )
    for (number, segment) in other.segments.enumerated() {
      let own = segmentNumber(of: segment)
      for counter in 0..<counterCount {
        counters[own * counterCount + counter] += other.counters[number * counterCount + counter]
      }
      for duration in 0..<durationCount {
        durations[own * durationCount + duration].merge(other.durations[number * durationCount + duration])
      }
    }
  }
}

extension Tally {
  /// Returns the value of a counter.
  func count(of counter: Int, in segment: Int) -> Int { counters[segment * counterCount + counter] }

  /// Returns the distribution of a duration.
  func distribution(of duration: Int, in segment: Int) -> DurationDistribution { durations[segment * durationCount + duration] }

  /// Adds the durations of a distribution.
  mutating func merge(_ distribution: DurationDistribution, into duration: Int, in segment: Int) {
    durations[segment * durationCount + duration].merge(distribution)
  }

  /// Returns the quantiles of a duration, or nil if nothing was recorded.
  func quantiles(of duration: Int, in segment: Int) -> Quantiles? { distribution(of: duration, in: segment).quantiles }
}
