import FunnelIndex
import FunnelModel

/// Counts the values of a numeric property, such as a duration in milliseconds.
///
/// Not thread-safe: each worker owns one.
// Most values are integers below 2¹⁶. If there are many distinct ones, they are counted in an array. The array
// exceeds the nearest caches, so values are buffered and counted in batches: the processor then fetches several
// counts at the same time.
struct NumberCounter {
  /// The number of integers with a count in the array.
  private static let smallCount = 1 << 16
  /// The capacity of the buffer.
  // The buffers of several properties fit into the nearest cache.
  private static let bufferCapacity = 512

  private var integers = IntegerCounts()
  /// The counts of fractions, by bit pattern.
  private var doubles = IntegerCounts()
  /// The count of each integer below ``smallCount``; empty if there are few distinct integers.
  private var small: [UInt32] = []
  /// The integers below ``smallCount`` that are not counted yet.
  private var buffer: [UInt16] = []

  /// Creates a counter without values.
  init() {}

  /// Counts a value.
  @inline(__always)
  mutating func add(_ measurement: Measurement) {
    if !measurement.isDouble, measurement.bits < UInt64(small.count) {
      buffer.append(UInt16(truncatingIfNeeded: measurement.bits))
      if buffer.count == Self.bufferCapacity { countBuffer() }
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
    if small.isEmpty, integers.areMany {
      small = Array(repeating: 0, count: Self.smallCount)
      buffer.reserveCapacity(Self.bufferCapacity)
    }
  }

  /// Counts the values in the buffer and empties it.
  @inline(never)
  private mutating func countBuffer() {
    for number in buffer {
      // A count that would overflow is moved to the 64-bit counts.
      if small[Int(number)] == .max {
        integers.add(Int64(number), Int(UInt32.max))
        small[Int(number)] = 0
      }
      small[Int(number)] &+= 1
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Returns all counts and resets the counter.
  mutating func take() -> PropertyValueCounts {
    countBuffer()
    for (number, count) in small.enumerated() where count > 0 { integers.add(Int64(number), Int(count)) }
    var values = PropertyValueCounts(integers: integers)
    doubles.forEach { values.add(.double(Double(bitPattern: UInt64(bitPattern: $0))), $1) }
    self = NumberCounter()
    return values
  }
}
