import FunnelJourneys
import FunnelModel

/// What is counted of one segment.
protocol SegmentCell: Sendable {
  /// The number of groups in the segment, by which segments are ordered.
  var groupCount: Int { get }

  /// Adds the counts of other groups of the same segment.
  mutating func merge(_ other: Self)
}

/// A cell for each segment that has been seen.
struct SegmentedCells<Cell: SegmentCell>: Sendable {
  private var segments: [Segment] = []
  private var indexOfSegment: [Segment: Int] = [:]
  private var cells: [Cell] = []

  var isEmpty: Bool { cells.isEmpty }

  /// The place of a segment's cell, made where it is the first of its segment.
  mutating func index(of segment: Segment, orAdd empty: @autoclosure () -> Cell) -> Int {
    // Without `by` there is one segment, and nothing to look up.
    if segment.values.isEmpty {
      if cells.isEmpty { append(empty(), for: segment) }
      return 0
    }
    if let index = indexOfSegment[segment] { return index }
    indexOfSegment[segment] = cells.count
    append(empty(), for: segment)
    return cells.count - 1
  }

  subscript(index: Int) -> Cell {
    @inline(__always) _read { yield cells[index] }
    @inline(__always) _modify { yield &cells[index] }
  }

  mutating func merge(_ other: Self) {
    for (segment, cell) in zip(other.segments, other.cells) {
      let known = cells.count
      let index = index(of: segment, orAdd: cell)
      if index < known { cells[index].merge(cell) }
    }
  }

  /// The cells, largest first, ties by the segments' values.
  var ordered: [(segment: Segment, cell: Cell)] {
    zip(segments, cells).map { ($0, $1) }.sorted { left, right in
      guard left.cell.groupCount == right.cell.groupCount else { return left.cell.groupCount > right.cell.groupCount }
      return left.segment.precedes(right.segment)
    }
  }

  private mutating func append(_ cell: Cell, for segment: Segment) {
    segments.append(segment)
    cells.append(cell)
  }
}

extension Segment {
  /// A total order that agrees with `<`: an integer comes before the fraction of the same value, which `<` does not tell apart.
  fileprivate func precedes(_ other: Segment) -> Bool {
    if self < other { return true }
    if other < self { return false }
    for (left, right) in zip(values, other.values) where left != right {
      if case .integer = left { return true }
      return false
    }
    return false
  }
}
