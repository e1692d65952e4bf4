import FunnelIndex
import FunnelModel

/// Counts the numbers of a measured property.
///
/// Durations in milliseconds are mostly small, and there are many different ones. If they are many, they are counted in an array. Its
/// counts are too many for the nearest caches, so numbers are gathered first, and counted many at once: then the processor fetches the
/// counts of several numbers at the same time.
struct NumberCounter: ~Copyable {
  private var integers = IntegerCounts()
  /// By the bits of the double.
  private var doubles = IntegerCounts()
  private var small: SmallNumbers?
  /// The number of numbers that are gathered and not counted yet.
  private var gatheredCount = 0

  init() {}

  deinit { small?.deallocate() }

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

  @inline(never)
  private mutating func addOther(_ measurement: Measurement) {
    let number = Int64(bitPattern: measurement.bits)
    if measurement.isDouble { return doubles.add(number) }
    integers.add(number)
    if small == nil, integers.areMany { small = SmallNumbers() }
  }

  @inline(never)
  private mutating func countGathered() {
    guard let small else { return }
    for index in 0..<gatheredCount {
      let number = Int(small.gathered[index])
      if small.counts[number] == .max {
        integers.add(Int64(number), Int(UInt32.max))
        small.counts[number] = 0
      }
      small.counts[number] &+= 1
    }
    gatheredCount = 0
  }

  /// Returns all counts, and leaves none.
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
    (integers, doubles) = (IntegerCounts(), IntegerCounts())
    return values
  }
}

/// The memory for counting the integers of 16 bits.
private struct SmallNumbers: BitwiseCopyable {
  static let count = 1 << 16
  /// Few enough for the nearest cache, together with those of some other properties.
  static let gatheredMax = 512

  let counts: UnsafeMutablePointer<UInt32>
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
