import FunnelIndex
import FunnelModel

/// Counts the values of all properties of events, for one flow version.
///
/// A measured property has many distinct numbers, such as a duration. Its values are stored outside the dimension
/// rows of events. Not thread-safe: each worker owns one.
// There are few distinct rows, so events are counted by row, and the properties of a row are decoded once, at the
// end. The values of measured properties are counted individually.
struct PropertyCounter {
  /// The number of property counts of a segment.
  private let idCount: Int
  private let measuredKeys: [String]
  private let currentSegments: @Sendable () -> SegmentTable
  // A target is one of the property counts of a segment: segment * idCount + ID.
  /// The counts of rows of each target.
  private var rows: [RowCounter] = []
  /// The counts of measured values: those of each measured property for the first target, then for the next one, and so on.
  private var numbers: [NumberCounter] = []

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - idCount: The number of property counts of a segment.
  ///   - measuredKeys: The measured properties of the source.
  ///   - currentSegments: Returns the segment table of the source, which may grow.
  init(idCount: Int, measuredKeys: [String], currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.idCount = idCount
    self.measuredKeys = measuredKeys
    self.currentSegments = currentSegments
  }

  /// Counts the properties of an event of a group.
  ///
  /// - Parameters:
  ///   - event: The index of the event.
  ///   - id: The property counts ID.
  ///   - segment: The number of the group's segment.
  @inline(__always)
  mutating func count(_ event: Int, of group: EventSequence, id: Int, segment: Int) {
    let target = segment &* idCount &+ id
    if target >= rows.count { grow(to: target) }
    rows[target].add(group.rows?[event] ?? 0)
    guard let measurements = group.measurements else { return }
    var index = Int(measurements.starts[event])
    if index == Int(EventMeasurements.none) { return }
    let first = target &* measuredKeys.count
    var counters = numbers.mutableSpan
    while true {
      let measurement = measurements.all[index]
      counters[first &+ Int(measurement.measure)].add(measurement)
      if measurement.isLast { return }
      index &+= 1
    }
  }

  /// Adds all counts to an aggregate and resets the counter.
  mutating func drain(into aggregate: inout Aggregate) {
    let table = currentSegments()
    for target in rows.indices {
      let id = target % idCount
      let segment = target / idCount
      rows[target].finished.forEach { row, count in
        for member in PropertiesText.decode(table.value(of: .properties, row: UInt32(row))) {
          aggregate.countProperty(member.key, member.value, count, in: id, of: segment)
        }
      }
      for (measure, key) in measuredKeys.enumerated() {
        let values = numbers[target * measuredKeys.count + measure].take()
        // Memory grows ahead of the segments, so some targets belong to segments that do not exist.
        if !values.isEmpty { aggregate.mergeProperty(key, values, in: id, of: segment) }
      }
    }
    rows.removeAll()
    numbers.removeAll()
  }

  /// Makes room for a target.
  @inline(never)
  private mutating func grow(to target: Int) {
    // Targets are used segment by segment, so the next ones are needed soon.
    let targetCount = max(target + 1, rows.count * 2, idCount)
    rows += repeatElement(RowCounter(), count: targetCount - rows.count)
    numbers += repeatElement(NumberCounter(), count: targetCount * measuredKeys.count - numbers.count)
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
