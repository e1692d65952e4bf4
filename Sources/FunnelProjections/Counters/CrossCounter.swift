import FunnelIndex
import FunnelModel

/// Counts the values that groups have for the keys of ``CrossCounts``, for one flow version.
///
/// Not thread-safe: each worker owns one.
// Groups are collected in blocks, because a block is counted pair by pair (``CrossCounts/add(_:groupsMax:groups:)``).
struct CrossCounter {
  private let shapes: [CrossShape]
  /// Whether a key that an event lacks has the value of the first later event of the group that has it.
  private let takesLaterValues: Bool
  /// The time zone of hours and days of the week.
  private let timeZone: TimeZoneRules
  private let currentSegments: @Sendable () -> SegmentTable
  private var table: SegmentTable
  /// The columns of the keys in the table, or `nil` for a key that the table does not have, such as the hour, by crossing ID.
  private let columns: [[Int?]]
  /// The blocks by segment and crossing ID: segment * number of crossings + ID.
  private var blocks: [Block] = []

  /// The number of groups of a block.
  private static let groupsMax = 512

  /// The groups of one segment that are not counted yet.
  private struct Block {
    var counts: CrossCounts
    /// The index in `counts` of each value number of the table, by key; ``unknown`` for one that is not looked up yet.
    var indices: [[UInt16]]
    /// The indices of the values of all groups, key by key.
    var cells: [UInt16]
    var groups: [SuccessCount] = []

    static let unknown = UInt16.max

    init(_ shape: CrossShape) {
      counts = CrossCounts(shape)
      indices = Array(repeating: [], count: shape.keys.count)
      cells = Array(repeating: 0, count: shape.keys.count * CrossCounter.groupsMax)
    }

    mutating func flush() {
      counts.add(cells, groupsMax: CrossCounter.groupsMax, groups: groups)
      groups.removeAll(keepingCapacity: true)
    }
  }

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - query: The query, which has the attribution and the time zone of the values.
  ///   - currentSegments: Returns the segment table of the source, which may grow.
  init(_ shapes: [CrossShape], query: ReportQuery, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.shapes = shapes
    takesLaterValues = query.attribution == .known
    timeZone = query.timeZone
    self.currentSegments = currentSegments
    let table = currentSegments()
    self.table = table
    columns = shapes.map { $0.keys.map { table.dimensions.firstIndex(of: $0) } }
  }

  /// Counts the values of a group.
  ///
  /// - Parameters:
  ///   - anchor: The index of the event that provides the values.
  ///   - window: The window in which later events may provide values.
  mutating func count(
    _ group: EventSequence, anchor: Int, within window: ConversionWindow, isSuccess: Bool, id: Int, segment: Int
  ) {
    let target = segment * shapes.count + id
    while blocks.count <= target { blocks.append(Block(shapes[blocks.count % shapes.count])) }
    let position = blocks[target].groups.count
    blocks[target].groups.append(.one(isSuccess: isSuccess))
    for key in shapes[id].keys.indices {
      if let column = columns[id][key] {
        blocks[target].cells[key * Self.groupsMax + position] = index(
          of: group, anchor, within: window, column: column, key: key, id, target)
      } else if let value = timeZone.value(of: shapes[id].keys[key], at: group.times[anchor]) {
        blocks[target].cells[key * Self.groupsMax + position] = UInt16(
          blocks[target].counts.findOrInsert(.string(value), ofKey: key))
      }
    }
    if position + 1 == Self.groupsMax { blocks[target].flush() }
  }

  /// Returns the index of the value that a group has for a key.
  private mutating func index(
    of group: EventSequence, _ anchor: Int, within window: ConversionWindow, column: Int, key: Int, _ id: Int,
    _ target: Int
  ) -> UInt16 {
    guard let rows = group.rows else { return UInt16(CrossCounts.absent) }
    var event = anchor
    while true {
      let row = rows[event]
      // The source may have added the row after the table was read.
      if row >= table.count { table = currentSegments() }
      let number = Int(table.valueNumber(ofColumn: column, row: row))
      let index = self.index(ofValueNumber: number, column: column, key: key, id, target)
      event += 1
      if index != UInt16(CrossCounts.absent) || !takesLaterValues || event == group.count
        || !window.contains(group.times[event])
      {
        return index
      }
    }
  }

  /// Returns the index of a value of the table.
  @inline(__always)
  private mutating func index(ofValueNumber number: Int, column: Int, key: Int, _ id: Int, _ target: Int) -> UInt16 {
    let known = blocks[target].indices[key]
    if number < known.count, known[number] != Block.unknown { return known[number] }
    return find(valueNumber: number, column: column, key: key, id, target)
  }

  private mutating func find(valueNumber number: Int, column: Int, key: Int, _ id: Int, _ target: Int) -> UInt16 {
    let value = table.value(ofColumn: column, number: UInt32(number))
    let text = value == .null ? .null : value.segmentValue(isText: shapes[id].areTexts[key])
    let index = UInt16(blocks[target].counts.findOrInsert(text, ofKey: key))
    let missing = number + 1 - blocks[target].indices[key].count
    if missing > 0 { blocks[target].indices[key] += repeatElement(Block.unknown, count: missing) }
    blocks[target].indices[key][number] = index
    return index
  }

  /// Adds all counts to an aggregate and resets the counter.
  mutating func drain(into aggregate: inout Aggregate) {
    for target in blocks.indices {
      blocks[target].flush()
      let segment = target / shapes.count
      // Blocks exist for all segments up to the last one that is counted.
      if segment < aggregate.segments.count {
        aggregate.merge(blocks[target].counts, into: target % shapes.count, in: segment)
      }
    }
    blocks.removeAll()
  }
}
