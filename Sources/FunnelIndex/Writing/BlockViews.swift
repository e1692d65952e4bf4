/// Access to the rows of a batch's blocks, with their codes translated to those of the batch.
final class BlockViews: Sendable {
  // Sorting and encoding read every row: reference counting would slow them down.

  /// Keeps the rows alive.
  private let blocks: [RecordedBlock]
  /// Keeps the tables alive.
  private let tables: [ConstantTable]
  /// Keeps the measurements alive.
  private let measures: [MeasureTable]
  private let views: UniqueArray<View>

  /// The rows of one block, and the tables that translate the codes of its recorder.
  private struct View: BitwiseCopyable {
    let rows: BorrowedColumn<IndexRow>
    let ids: BorrowedBytes
    let types: BorrowedColumn<UInt32>
    let context: BorrowedColumn<UInt32>
    let props: BorrowedColumn<UInt32>
    /// The measurements by the recorder's `props` code; `nil` if the batch measures no property.
    let measures: MeasureTable.Contents?
  }

  /// Creates the views of blocks.
  ///
  /// - Parameter union: The union of the dictionaries of all recorders, by recorder number.
  init(_ blocks: [RecordedBlock], _ union: DictionaryUnion) {
    self.blocks = blocks
    let types = union.types.map(ConstantTable.init)
    let context = union.context.map(ConstantTable.init)
    let props = union.props.map(ConstantTable.init)
    tables = types + context + props
    measures = union.measures
    var views = UniqueArray<View>(capacity: blocks.count)
    for block in blocks {
      precondition(block.recorder < types.count, "each recorder has dictionaries")
      views.append(
        View(
          rows: block.rows.elements, ids: block.ids.bytes, types: types[block.recorder].numbers,
          context: context[block.recorder].numbers, props: props[block.recorder].numbers,
          measures: union.measures.isEmpty ? nil : union.measures[block.recorder].contents))
    }
    self.views = views
  }

  /// A row with the codes of the batch. Its ID is valid as long as the batch.
  struct Row {
    let sequence: Int64
    let attempt: UInt64
    let type: UInt32
    let context: UInt32
    let props: UInt32
    let id: PackedID
  }

  /// Returns the recorded row of a sort key.
  @inline(__always)
  func recorded(_ sorted: SortedRow) -> IndexRow { views[Int(sorted.block)].rows[Int(sorted.row)] }

  /// Returns the bytes of the IDs of a block.
  @inline(__always)
  func ids(ofBlock block: UInt32) -> BorrowedBytes { views[Int(block)].ids }

  /// Returns the row of a sort key.
  @inline(__always)
  func row(_ sorted: SortedRow) -> Row {
    let row = recorded(sorted)
    return self.row(row, of: sorted.block, id: row.id(in: ids(ofBlock: sorted.block), at: Int(row.idStart)))
  }

  /// Returns the translation of a recorded row of `block`.
  ///
  /// - Parameter id: The row's packed ID, which may be a copy.
  @inline(__always)
  func row(_ row: IndexRow, of block: UInt32, id: PackedID) -> Row {
    let view = views[Int(block)]
    return Row(
      sequence: row.sequence, attempt: row.attempt, type: view.types[Int(row.type)],
      context: view.context[Int(row.context)], props: view.props[Int(row.props)], id: id)
  }

  /// Passes the measurements of a row to `body`, in the order of their keys.
  ///
  /// - Parameters:
  ///   - content: The recorded `props` code of the row.
  ///   - block: The index of the row's block.
  ///   - numbers: The numbers of the row.
  @inline(__always)
  func forEachMeasurement(
    ofContent content: UInt32, of block: UInt32, _ numbers: RecordedNumbers,
    _ body: (_ number: MeasuredNumber, _ measure: UInt32) -> Void
  ) {
    guard let items = views[Int(block)].measures?[content] else { return }
    var next = 0
    for index in 0..<items.count {
      let item = items[index]
      let number: MeasuredNumber
      switch item.source {
      case .content(let known): number = known
      case .column:
        number = numbers[next]
        next &+= 1
      }
      if let measure = item.measure { body(number, measure) }
    }
  }

  /// Returns the subject of a row, packed like an ID.
  func subject(_ sorted: SortedRow) -> PackedID { recorded(sorted).subject(in: ids(ofBlock: sorted.block)) }
}

/// An immutable array whose elements are accessed without reference counting.
final class ConstantTable: Sendable {
  private let storage: UniqueArray<UInt32>
  /// The numbers, valid as long as the table.
  let numbers: BorrowedColumn<UInt32>

  /// Copies numbers.
  init(_ numbers: [UInt32]) {
    let storage = UniqueArray(numbers)
    self.numbers = storage.elements
    self.storage = storage
  }

  /// The count of numbers.
  var count: Int { numbers.count }
}
