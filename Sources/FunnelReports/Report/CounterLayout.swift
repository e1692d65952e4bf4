import FunnelProjections

/// Assigns consecutive IDs to the counters of a report.
///
/// State files store counters by ID, so the order in which a projector reserves them is a part of the file format.
struct CounterLayout {
  /// The number of reserved IDs.
  private(set) var count = 0

  /// Reserves the ID of one counter.
  mutating func counter() -> Int {
    defer { count += 1 }
    return count
  }

  /// Reserves an ID for each element of a list, such as the steps of a flow.
  mutating func block(_ elementCount: Int) -> CounterBlock {
    precondition(elementCount >= 0, "a list can't have \(elementCount) elements")
    defer { count += elementCount }
    return CounterBlock(ids: count..<count + elementCount)
  }

  /// Reserves an ID for each pair of a row and a column. The IDs of a row are consecutive.
  mutating func table(rows: Int, columns: Int) -> CounterTable {
    CounterTable(block: block(rows * columns), columnCount: columns)
  }
}

/// The IDs of the counters of a list, by index of the element.
struct CounterBlock: Sendable {
  let ids: Range<Int>

  subscript(index: Int) -> Int {
    assert(index >= 0 && index < ids.count, "the counters have no element \(index)")
    return ids.lowerBound + index
  }
}

/// The IDs of the counters of pairs, by row and column.
struct CounterTable: Sendable {
  fileprivate let block: CounterBlock
  fileprivate let columnCount: Int

  subscript(row: Int, column: Int) -> Int {
    assert(column >= 0 && column < columnCount, "the counters have no column \(column)")
    return block[row * columnCount + column]
  }
}

extension SegmentCounts {
  /// Returns the sum of the counters of a list.
  func sum(_ counters: CounterBlock) -> Int { counters.ids.reduce(0) { $0 + self[$1] } }
}
