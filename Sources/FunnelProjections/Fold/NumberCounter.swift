import FunnelIndex
import FunnelModel

/// Counts the values of a numeric property, such as a duration in milliseconds.
///
/// Not thread-safe: each worker owns one.
// Most values are integers below 2¹⁶. If there are many distinct ones, they are counted in an array. The array
// exceeds the nearest caches, so values are buffered and counted in batches: the processor then fetches several
// counts at the same time.
struct NumberCounter: ~Copyable {
  private var integers = IntegerCounts()
  /// The counts of fractions, by bit pattern.
  private var doubles = IntegerCounts()
  /// The array and buffer for small integers, or `nil` if there are few distinct integers.
  private var small: SmallNumbers?
  /// The number of values in the buffer.
  private var gatheredCount = 0

  /// Creates a counter without values.
  init() {}

  deinit { small?.deallocate() }

  /// Counts a value.
  @inline(__always)
  mutating func add(_ measurement: Measurement) {
    if !measurement.isDouble, measurement.bits < UInt64(SmallNumbers.count), let gathered = small?.gathered {
      gathered[gatheredCount] = UInt16(truncatingIfNeeded: measurement.bits)
      gatheredCount &+= 1
      if gatheredCount == SmallNumbers.gatheredMax { countGathered() }
    } else {
      addOther(measurement)
    }
  }

  /// Counts a value that does not fit into the buffer.
  @inline(never)
  private mutating func addOther(_ measurement: Measurement) {
    let number = Int64(bitPattern: measurement.bits)
    if measurement.isDouble { return doubles.add(number) }
    integers.add(number)
    if small == nil, integers.areMany { small = SmallNumbers() }
  }

  /// Counts the values in the buffer and empties it.
  @inline(never)
  private mutating func countGathered() {
    guard let small else { return }
    for index in 0..<gatheredCount {
      let number = Int(small.gathered[index])
      // A count that would overflow is moved to the 64-bit counts.
      if small.counts[number] == .max {
        integers.add(Int64(number), Int(UInt32.max))
        small.counts[number] = 0
      }
      small.counts[number] &+= 1
    }
    gatheredCount = 0
  }

  /// Returns all counts and resets the counter.
  mutating func take() -> PropertyValueCounts {
    countGathered()
    if let small {
      for number in 0..<SmallNumbers.count where small.counts[number] > 0 {
        integers.add(Int64(number), Int(small.counts[number]))
      }
      small.deallocate()
    }
    small = nil
    var values = PropertyValueCounts(integers: integers)
    doubles.forEach { values.add(.double(Double(bitPattern: UInt64(bitPattern: $0))), $1) }
    integers = IntegerCounts()
    doubles = IntegerCounts()
    return values
  }
}

/// The counts and the buffer for integers below 2¹⁶. The owner must call `deallocate()`.
private struct SmallNumbers: BitwiseCopyable {
  /// The number of integers with a count.
  static let count = 1 << 16
  /// The capacity of the buffer.
  // The buffers of several properties fit into the nearest cache.
  static let gatheredMax = 512

  /// The count of each integer.
  let counts: UnsafeMutablePointer<UInt32>
  /// The buffered integers.
  let gathered: UnsafeMutablePointer<UInt16>

  init() {
    counts = .allocate(capacity: Self.count)
    counts.initialize(repeating: 0, count: Self.count)
    gathered = .allocate(capacity: Self.gatheredMax)
  }

  func deallocate() {
    counts.deallocate()
    gathered.deallocate()
  }
}
