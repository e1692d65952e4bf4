import FunnelIndex
import FunnelModel

/// Counts the properties of events, for one flow and one thread.
///
/// Events are counted by the row of their values, of which there are few; the properties are looked up once per row, at the end. The
/// numbers of measured properties are not in the rows. They are counted one by one.
struct PropertyCounter: ~Copyable {
  private let slotCount: Int
  private let measuredKeys: [String]
  private let currentSegments: @Sendable () -> SegmentTable
  /// The rows of each place; a place is a slot of a segment.
  private var rows: UnsafeMutablePointer<RowCounter>
  /// The numbers of each measured property, by place.
  private var numbers: UnsafeMutablePointer<NumberCounter>
  private var placeCount = 0

  /// - Parameters:
  ///   - slotCount: The number of slots of a segment in which properties are counted.
  ///   - measuredKeys: The measured properties of the source whose events are counted.
  init(slotCount: Int, measuredKeys: [String], currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.slotCount = slotCount
    self.measuredKeys = measuredKeys
    self.currentSegments = currentSegments
    rows = .allocate(capacity: 1)
    numbers = .allocate(capacity: 1)
  }

  deinit {
    rows.deinitialize(count: placeCount)
    rows.deallocate()
    numbers.deinitialize(count: placeCount * measuredKeys.count)
    numbers.deallocate()
  }

  /// Counts the properties of an event of a group.
  @inline(__always)
  mutating func count(_ event: Int, of group: EventSequence, slot: Int, segment: Int) {
    let place = segment &* slotCount &+ slot
    if place >= placeCount { grow(to: place) }
    rows[place].add(group.rows?[event] ?? 0)
    guard let measurements = group.measurements else { return }
    var index = measurements.starts[event]
    if index == EventMeasurements.none { return }
    let counters = numbers + place &* measuredKeys.count
    while true {
      let measurement = measurements.all + Int(index)
      counters[Int(measurement.pointee.measure)].add(measurement.pointee)
      if measurement.pointee.isLast { return }
      index &+= 1
    }
  }

  /// Adds all counts to a tally.
  mutating func drain(into aggregate: inout Aggregate) {
    let table = currentSegments()
    for place in 0..<placeCount {
      let (slot, segment) = (place % slotCount, place / slotCount)
      rows[place].finished.forEach { row, count in
        for member in PropertiesText.decode(table.value(of: .properties, row: UInt32(row))) {
          aggregate.countProperty(member.key, member.value, count, in: slot, of: segment)
        }
      }
      rows[place] = RowCounter()
      for (measure, key) in measuredKeys.enumerated() {
        let values = numbers[place * measuredKeys.count + measure].take()
        // There are places of segments that are still to come.
        if !values.isEmpty { aggregate.mergeProperty(key, values, in: slot, of: segment) }
      }
    }
  }

  @inline(never)
  private mutating func grow(to place: Int) {
    let (oldRows, oldNumbers, oldCount) = (rows, numbers, placeCount)
    // Places come segment by segment, so the next ones are needed soon.
    placeCount = max(place + 1, oldCount * 2, slotCount)
    rows = .allocate(capacity: placeCount)
    rows.moveInitialize(from: oldRows, count: oldCount)
    for place in oldCount..<placeCount { (rows + place).initialize(to: RowCounter()) }
    oldRows.deallocate()
    let (used, count) = (oldCount * measuredKeys.count, placeCount * measuredKeys.count)
    numbers = .allocate(capacity: max(count, 1))
    numbers.moveInitialize(from: oldNumbers, count: used)
    for index in used..<count { (numbers + index).initialize(to: NumberCounter()) }
    oldNumbers.deallocate()
  }
}

/// Counts rows. Consecutive equal ones, which are frequent, are counted together.
private struct RowCounter {
  private var counts = IntegerCounts()
  private var last: UInt32 = 0
  private var lastCount = 0

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
