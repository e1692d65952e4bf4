internal import FunnelModel

/// A table that lists, for each content of one `props` dictionary, the measurements of the events with that
/// content and the source of each number.
///
/// The table translates to a target: the union with other dictionaries, or a report. A property that the target
/// measures may have its number in the content. A property that only this dictionary measures still takes a
/// number from its column.
///
/// A table is immutable and thread-safe. ``contents`` is valid as long as the table.
final class MeasureTable: @unchecked Sendable {
  /// One measurement of the events that have a content.
  struct Item: BitwiseCopyable {
    /// The source of a number.
    enum Source: BitwiseCopyable {
      /// The next number of a column, by its index.
      case column(UInt32)
      /// A number that all events with the content have.
      case content(MeasuredNumber)
    }

    /// The index of the measured property in the target, or `nil` if the target does not measure it.
    let measure: UInt32?
    let source: Source
    /// Whether this is the last item of its content that the target measures.
    fileprivate(set) var isLast = false

    /// Creates an item of a measured property.
    init(_ measure: UInt32?, from source: Source) {
      self.measure = measure
      self.source = source
    }

    /// Whether the number comes from a column.
    var isInColumn: Bool {
      if case .column = source { true } else { false }
    }
  }

  /// The measurements by content, without reference counting.
  struct Contents: BitwiseCopyable {
    /// The number of contents.
    let count: Int
    /// The index of each content's first item, then the number of all items.
    fileprivate let starts: BorrowedColumn<UInt32>
    fileprivate let items: BorrowedColumn<Item>

    /// Returns the items of a content, which must be less than ``count``, in the order of their keys.
    @inline(__always)
    subscript(content: UInt32) -> BorrowedColumn<Item> {
      assert(Int(content) < count, "codes of a file are checked before they are looked up")
      return items[Int(starts[Int(content)])..<Int(starts[Int(content) &+ 1])]
    }

    /// Returns the number of items of a content, which must be less than ``count``.
    @inline(__always)
    func measurementCount(_ content: UInt32) -> Int {
      assert(Int(content) < count, "codes of a file are checked before they are looked up")
      return Int(starts[Int(content) &+ 1] &- starts[Int(content)])
    }
  }

  /// The measurements by content.
  let contents: Contents
  private let starts: UniqueArray<UInt32>
  private let items: UniqueArray<Item>
  /// The number of columns that the dictionary measures.
  let columnCount: Int
  /// Whether all numbers come from one column.
  let hasOneColumn: Bool

  /// Creates the table of a dictionary.
  ///
  /// - Parameter itemOfEntry: The measurement of each dictionary entry; `nil` for an entry without one.
  init(_ dictionary: DimensionDictionary, itemOfEntry: [Item?]) {
    precondition(itemOfEntry.count >= dictionary.entries.count, "each entry has an item or none")
    columnCount = itemOfEntry.count { $0?.isInColumn ?? false }
    var starts = UniqueArray<UInt32>(capacity: dictionary.contentCount + 1)
    var items: [Item] = []
    for content in 0..<dictionary.contentCount {
      let start = items.count
      starts.append(UInt32(start))
      for entry in dictionary.entries(ofContent: content) {
        if let item = itemOfEntry[Int(entry)] { items.append(item) }
      }
      if let last = items.indices.dropFirst(start).last(where: { items[$0].measure != nil }) {
        items[last].isLast = true
      }
    }
    starts.append(UInt32(items.count))
    hasOneColumn = columnCount == 1 && items.allSatisfy(\.isInColumn)
    let ownedItems = UniqueArray(items)
    contents = Contents(count: dictionary.contentCount, starts: starts.elements, items: ownedItems.elements)
    self.starts = starts
    self.items = ownedItems
  }
}
