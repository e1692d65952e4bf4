import FunnelIndex
import FunnelModel

/// Counts the values of all properties of events, for one flow version.
///
/// A measured property has many distinct numbers, such as a duration. Its values are stored outside the dimension
/// rows of events. Not thread-safe: each worker owns one.
// There are few distinct rows, so events are counted by row, and the properties of a row are decoded once, at the
// end. The values of measured properties are counted individually.
struct PropertyCounter: ~Copyable {
  private let slotCount: Int
  private let measuredKeys: [String]
  private let currentSegments: @Sendable () -> SegmentTable
  /// The counts of rows of each target. A target is one of the property counts of a segment: segment * slotCount + ID.
  private var rows: UnsafeMutablePointer<RowCounter>
  /// The counts of measured values: those of each measured property for the first target, then for the next one, and so on.
  private var numbers: UnsafeMutablePointer<NumberCounter>
  private var targetCount = 0

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - slotCount: The number of property counts of a segment.
  ///   - measuredKeys: The measured properties of the source.
  ///   - currentSegments: Returns the segment table of the source, which may grow.
  init(slotCount: Int, measuredKeys: [String], currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.slotCount = slotCount
    self.measuredKeys = measuredKeys
    self.currentSegments = currentSegments
    rows = .allocate(capacity: 1)
    numbers = .allocate(capacity: 1)
  }

  deinit {
    rows.deinitialize(count: targetCount)
    rows.deallocate()
    numbers.deinitialize(count: targetCount * measuredKeys.count)
    numbers.deallocate()
  }

  /// Counts the properties of an event of a group.
  ///
  /// - Parameters:
  ///   - event: The index of the event.
  ///   - slot: The property counts ID.
  ///   - segment: The number of the group's segment.
  @inline(__always)
  mutating func count(_ event: Int, of group: EventSequence, slot: Int, segment: Int) {
    let target = segment &* slotCount &+ slot
    if target >= targetCount { grow(to: target) }
    rows[target].add(group.rows?[event] ?? 0)
    guard let measurements = group.measurements else { return }
    var index = measurements.starts[event]
    if index == EventMeasurements.none { return }
    let counters = numbers + target &* measuredKeys.count
    while true {
      let measurement = measurements.all + Int(index)
      counters[Int(measurement.pointee.measure)].add(measurement.pointee)
      if measurement.pointee.isLast { return }
      index &+= 1
    }
  }

  /// Adds all counts to an aggregate and resets the counter.
  mutating func drain(into aggregate: inout Aggregate) {
    let table = currentSegments()
    for target in 0..<targetCount {
      let slot = target % slotCount
      let segment = target / slotCount
      rows[target].finished.forEach { row, count in
        for member in PropertiesText.decode(table.value(of: .properties, row: UInt32(row))) {
          aggregate.countProperty(member.key, member.value, count, in: slot, of: segment)
        }
      }
      rows[target] = RowCounter()
      for (measure, key) in measuredKeys.enumerated() {
        let values = numbers[target * measuredKeys.count + measure].take()
        // Memory grows ahead of the segments, so some targets belong to segments that do not exist.
        if !values.isEmpty { aggregate.mergeProperty(key, values, in: slot, of: segment) }
      }
    }
  }

  /// Makes room for a target.
  @inline(never)
  private mutating func grow(to target: Int) {
    let oldRows = rows
    let oldNumbers = numbers
    let oldCount = targetCount
    // Targets are used segment by segment, so the next ones are needed soon.
    targetCount = max(target + 1, oldCount * 2, slotCount)
    rows = .allocate(capacity: targetCount)
    rows.moveInitialize(from: oldRows, count: oldCount)
    for target in oldCount..<targetCount { (rows + target).initialize(to: RowCounter()) }
    oldRows.deallocate()
    let used = oldCount * measuredKeys.count
    let count = targetCount * measuredKeys.count
    numbers = .allocate(capacity: max(count, 1))
    numbers.moveInitialize(from: oldNumbers, count: used)
    for index in used..<count { (numbers + index).initialize(to: NumberCounter()) }
    oldNumbers.deallocate()
  }
}

/// Counts rows by index. Equal rows in succession, which are frequent, are counted together.
private struct RowCounter {
  private var counts = IntegerCounts()
  private var last: UInt32 = 0
  private var lastCount = 0

  /// Counts a row.
  @inline(__always)
  mutating func add(_ row: UInt32) {
    if row != last {
      flush()
      last = row
    }
    lastCount &+= 1
  }

  /// The counts of all rows.
  var finished: IntegerCounts {
    var copy = self
    copy.flush()
    return copy.counts
  }

  @inline(never)
  private mutating func flush() {
    if lastCount > 0 { counts.add(Int64(last), lastCount) }
    lastCount = 0
  }
}
