import FunnelHistories
import FunnelModel

/// The state of a projector: a sheet of counters and durations for each segment in which groups were counted.
///
/// The projector defines the meaning of each counter and duration (``FunnelSlots``, ``DropoffSlots``, ``GrantSlots``).
public struct Tally: ProjectionState {
  let counterCount: Int
  let durationCount: Int
  /// The segments, by sheet number. Sheet 0 belongs to the segment without values, which all groups belong to if the query has no `by`.
  private(set) var segments = [Segment(values: [])]
  private var sheetOfSegment = [Segment(values: []): 0]
  /// The counters of all sheets, one sheet after the other.
  private var counters: [Int]
  private var durations: [DurationDistribution]
  private let noDurations: DurationDistribution

  /// Creates an empty tally with this many counters and durations in a sheet; few durations are longer than `longest` milliseconds.
  init(counterCount: Int, durationCount: Int, longest: Int64) {
    self.counterCount = counterCount
    self.durationCount = durationCount
    noDurations = DurationDistribution(longest: longest)
    counters = Array(repeating: 0, count: counterCount)
    durations = Array(repeating: noDurations, count: durationCount)
  }

  /// A tally without counters and durations.
  static let none = Tally(counterCount: 0, durationCount: 0, longest: 0)

  /// Returns the sheet of a segment, which is added if it is new.
  mutating func sheet(of segment: Segment) -> Int {
    if let sheet = sheetOfSegment[segment] { return sheet }
    sheetOfSegment[segment] = segments.count
    segments.append(segment)
    counters.append(contentsOf: repeatElement(0, count: counterCount))
    durations.append(contentsOf: repeatElement(noDurations, count: durationCount))
    return segments.count - 1
  }

  @inline(__always)
  mutating func add(_ amount: Int, to counter: Int, in sheet: Int) {
    counters[sheet * counterCount + counter] += amount
  }

  @inline(__always)
  mutating func record(_ milliseconds: Int64, of duration: Int, in sheet: Int) {
    durations[sheet * durationCount + duration].record(milliseconds)
  }

  /// Records many times at once.
  mutating func record(_ milliseconds: UnsafeBufferPointer<Int64>, of duration: Int, in sheet: Int) {
    durations[sheet * durationCount + duration].record(milliseconds)
  }

  public mutating func merge(_ other: Tally) {
    precondition(
      counterCount == other.counterCount && durationCount == other.durationCount, "tallies of different projectors don't add up"
    )
    for (number, segment) in other.segments.enumerated() {
      let sheet = sheet(of: segment)
      for counter in 0..<counterCount {
        counters[sheet * counterCount + counter] += other.counters[number * counterCount + counter]
      }
      for duration in 0..<durationCount {
        durations[sheet * durationCount + duration].merge(other.durations[number * durationCount + duration])
      }
    }
  }
}

extension Tally {
  /// The counts of one segment.
  struct Sheet {
    let segment: Segment
    fileprivate let number: Int
    fileprivate let tally: Tally

    /// The value of a counter.
    subscript(counter: Int) -> Int { tally.counters[number * tally.counterCount + counter] }

    /// Returns the quantiles of a duration.
    func quantiles(of duration: Int) -> Quantiles? { tally.durations[number * tally.durationCount + duration].quantiles }
  }

  /// The sheet of the segment without values.
  var whole: Sheet { Sheet(segment: segments[0], number: 0, tally: self) }

  /// Returns the sheets in which a counter is not zero, in the order of the query's segments; the counter is a segment's size.
  func sheets(by counter: Int, in question: SegmentQuestion) -> [Sheet] {
    let order = SegmentOrder(by: question.query.by)
    return segments.enumerated().map { Sheet(segment: $1, number: $0, tally: self) }.filter { $0[counter] > 0 }
      .sorted { order.precedes(($0.segment, $0[counter]), ($1.segment, $1[counter])) }
  }
}
