import FunnelIndex
import FunnelModel

/// Counts the combinations of values that events have for the keys of value counts, for one flow version.
///
/// Not thread-safe: each worker owns one.
// There are few distinct dimension rows, so events are counted by row, and the values of a row are looked up once, at the end.
struct ValueCounter {
  private struct Key: Hashable {
    let segment: UInt32
    /// The value counts ID.
    let id: UInt16
    /// The dimension row.
    let row: UInt32
  }

  private let currentSegments: @Sendable () -> SegmentTable
  private var table: SegmentTable
  /// The columns of the keys in the table, by value counts ID, or `nil` for a key that the table does not have.
  private let columns: [[Int?]]
  private var counts: [Key: Int] = [:]

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - keys: The keys of each of the value counts, or `nil` for value counts of constant values.
  ///   - currentSegments: Returns the segment table of the source, which may grow.
  init(_ keys: [[Dimension]?], currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.currentSegments = currentSegments
    let table = currentSegments()
    self.table = table
    columns = keys.map { keys in (keys ?? []).map { table.dimensions.firstIndex(of: $0) } }
  }

  /// Counts the values of an event of a group.
  mutating func count(_ event: Int, of group: EventSequence, id: Int, segment: Int) {
    counts[Key(segment: UInt32(segment), id: UInt16(id), row: group.rows?[event] ?? 0), default: 0] += 1
  }

  /// Counts the values of an event of a group. A key that the event lacks has the value of the last earlier event that has it.
  mutating func countSoFar(_ event: Int, of group: EventSequence, id: Int, segment: Int, into aggregate: inout Aggregate) {
    var values = values(of: group.rows?[event] ?? 0, id: id)
    guard values.contains(.null) else { return count(event, of: group, id: id, segment: segment) }
    for event in (0..<event).reversed() where values.contains(.null) {
      let earlier = self.values(of: group.rows?[event] ?? 0, id: id)
      for index in values.indices where values[index] == .null { values[index] = earlier[index] }
    }
    aggregate.count(values, in: id, of: segment)
  }

  /// Adds all counts to an aggregate and resets the counter.
  mutating func drain(into aggregate: inout Aggregate) {
    for (key, count) in counts {
      aggregate.count(values(of: key.row, id: Int(key.id)), count, in: Int(key.id), of: Int(key.segment))
    }
    counts.removeAll()
  }

  /// Returns the values of a row for the keys of value counts, which are null for a key that the row lacks.
  private mutating func values(of row: UInt32, id: Int) -> [PropertyValue] {
    // The source may have added the row after the table was read.
    if row >= table.count { table = currentSegments() }
    guard row < table.count else { return columns[id].map { _ in .null } }
    let values = table.row(row)
    return columns[id].map { column in column.map { values[$0] } ?? .null }
  }
}
