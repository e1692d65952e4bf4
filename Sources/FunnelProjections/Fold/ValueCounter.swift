import FunnelIndex
import FunnelModel

/// Counts the values that events have for the keys of slots, for one flow and one thread.
///
/// Events are counted by the row of their values, of which there are few; the values are looked up once per row, at the end.
struct ValueCounter {
  private struct Place: Hashable {
    let segment: UInt32
    let slot: UInt16
    let row: UInt32
  }

  private let currentSegments: @Sendable () -> SegmentTable
  private var table: SegmentTable
  /// The column of each key in the table, by slot.
  private let columns: [[Int?]]
  private var counts: [Place: Int] = [:]

  init(_ keys: [[Dimension]?], currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.currentSegments = currentSegments
    let table = currentSegments()
    self.table = table
    columns = keys.map { keys in (keys ?? []).map { table.dimensions.firstIndex(of: $0) } }
  }

  /// Counts the values of an event of a group.
  mutating func take(_ note: Contribution.Note, of group: EventSequence, in segment: Int, into aggregate: inout Aggregate) {
    let slot = Int(note.slot)
    let row = group.rows?[Int(note.event)] ?? 0
    if note.content == .valuesSoFar {
      var values = self.values(of: row, in: slot)
      if values.contains(.null) {
        for event in (0..<Int(note.event)).reversed() where values.contains(.null) {
          let earlier = self.values(of: group.rows?[event] ?? 0, in: slot)
          for index in values.indices where values[index] == .null { values[index] = earlier[index] }
        }
        aggregate.count(values, in: slot, of: segment)
        return
      }
    }
    counts[Place(segment: UInt32(segment), slot: note.slot, row: row), default: 0] += 1
  }

  /// Adds all counts to a tally.
  mutating func drain(into aggregate: inout Aggregate) {
    for (place, count) in counts {
      aggregate.count(values(of: place.row, in: Int(place.slot)), count, in: Int(place.slot), of: Int(place.segment))
    }
    counts.removeAll()
  }

  private mutating func values(of row: UInt32, in slot: Int) -> [PropertyValue] {
    // The row may have been added after the table was read.
    if row >= table.count { table = currentSegments() }
    guard row < table.count else { return columns[slot].map { _ in .null } }
    let values = table.row(row)
    return columns[slot].map { column in column.map { values[$0] } ?? .null }
  }
}
