internal import FunnelModel

/// Tells, for each content of one dictionary of `props`, which measurements an event with that content has, and where their numbers are.
///
/// The measurements are those of a target: the union with other dictionaries, or a report. A property that the target measures may be in
/// the contents here, with its number. A property that is measured here and not in the target still takes a number from its column.
///
/// Events are looked up in ``contents``, which needs no reference counting and is valid as long as the table. A table does not change, so any
/// number of threads may read it.
final class MeasureTable: @unchecked Sendable {
  /// One measurement of the events with a content.
  struct Item: BitwiseCopyable {
    /// The measured property of the target, or ``none``.
    var measure: UInt32
    /// The column that has the number, or ``none`` if the number is that of the content.
    var column: UInt32
    /// Whether it is the last one of its content that the target measures.
    fileprivate(set) var isLast = false
    /// The number of the content.
    var number: MeasuredNumber

    /// An item whose number is the next one of a column.
    static func inColumn(_ column: UInt32, of measure: UInt32) -> Item {
      Item(measure: measure, column: column, number: MeasuredNumber(bits: 0, isDouble: false))
    }

    /// An item whose number is that of the content.
    static func inContent(_ number: MeasuredNumber, of measure: UInt32) -> Item {
      Item(measure: measure, column: none, number: number)
    }
  }

  /// The value that means no property, or no column.
  static let none = UInt32.max

  /// The measurements by content.
  struct Contents: BitwiseCopyable {
    /// The number of contents.
    let count: Int
    fileprivate let starts: UnsafeMutablePointer<UInt32>
    fileprivate let items: UnsafeMutablePointer<Item>

    /// Returns the measurements of the events with a content, in the order of their keys. The content must be less than ``count``.
    @inline(__always)
    subscript(content: UInt32) -> UnsafeBufferPointer<Item> {
      UnsafeBufferPointer(start: items + Int(starts[Int(content)]), count: measurementCount(content))
    }

    /// Returns the number of the measurements of an event with a content, which must be less than ``count``.
    @inline(__always)
    func measurementCount(_ content: UInt32) -> Int {
      assert(Int(content) < count, "codes of a file are checked before they are looked up")
      return Int(starts[Int(content) &+ 1] &- starts[Int(content)])
    }
  }

  let contents: Contents
  /// The number of columns from which numbers are taken.
  let columnCount: Int
  /// Whether all numbers are those of one column.
  let hasOneColumn: Bool

  /// - Parameter itemOfCell: The measurement that each cell means, or nil if the cell means none.
  init(_ dictionary: DimensionDictionary, itemOfCell: [Item?]) {
    columnCount = itemOfCell.count { $0.map { $0.column != Self.none } ?? false }
    let count = dictionary.rowCount
    let starts = UnsafeMutablePointer<UInt32>.allocate(capacity: count + 1)
    var all: [Item] = []
    for row in 0..<count {
      starts[row] = UInt32(all.count)
      for cell in dictionary.cells(ofRow: row) {
        if let item = itemOfCell[Int(cell)] { all.append(item) }
      }
      let last = all.indices.dropFirst(Int(starts[row])).last { all[$0].measure != Self.none }
      if let last { all[last].isLast = true }
    }
    starts[count] = UInt32(all.count)
    hasOneColumn = columnCount == 1 && all.allSatisfy { $0.column != Self.none }
    let items = UnsafeMutablePointer<Item>.allocate(capacity: max(all.count, 1))
    for (index, item) in all.enumerated() { items[index] = item }
    contents = Contents(count: count, starts: starts, items: items)
  }

  deinit {
    contents.starts.deallocate()
    contents.items.deallocate()
  }
}
