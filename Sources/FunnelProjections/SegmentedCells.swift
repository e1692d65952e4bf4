import FunnelJourneys
import FunnelModel

/// What is counted of one segment.
protocol SegmentCell: Sendable {
  /// The number of groups in the segment, by which segments are ordered.
  var groupCount: Int { get }

  /// Adds the counts of other groups of the same segment.
  mutating func merge(_ other: Self)
}

/// A cell for each segment that groups fell into, by the segment's number in a ``SegmentIndex``.
struct SegmentedCells<Cell: SegmentCell>: Sendable {
  private var cells: [Cell] = []
  /// The segment of each cell.
  private var segments: [Int] = []
  /// The cell of each segment, -1 where it has none.
  private var places: [Int] = []

  /// The place of a segment's cell, made where it is the first of its segment.
  @inline(__always)
  mutating func place(of segment: Int, orAdd empty: @autoclosure () -> Cell) -> Int {
    if segment < places.count, places[segment] >= 0 { return places[segment] }
    return add(empty(), for: segment)
  }

  private mutating func add(_ cell: Cell, for segment: Int) -> Int {
    while places.count <= segment { places.append(-1) }
    places[segment] = cells.count
    segments.append(segment)
    cells.append(cell)
    return cells.count - 1
  }

  subscript(place: Int) -> Cell {
    @inline(__always) _read { yield cells[place] }
    @inline(__always) _modify { yield &cells[place] }
  }

  /// Adds the cells of another state, whose segments have these numbers here.
  mutating func merge(_ other: Self, numbers: [Int]) {
    for (segment, cell) in zip(other.segments, other.cells) {
      let known = cells.count
      let place = place(of: numbers[segment], orAdd: cell)
      if place < known { cells[place].merge(cell) }
    }
  }

  /// The cells with their segments, largest first, ties by the segments' values.
  func ordered(in index: SegmentIndex) -> [(segment: Segment, cell: Cell)] {
    zip(segments, cells).map { (index.segments[$0], $1) }.sorted { left, right in
      guard left.1.groupCount == right.1.groupCount else { return left.1.groupCount > right.1.groupCount }
      return left.0.precedes(right.0)
    }
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
