/// Access to the rows of a batch's blocks, with their codes translated to those of the batch.
final class BlockViews: @unchecked Sendable {
  // The views are pointers, because sorting and encoding read every row: reference counting would slow them down.

  /// Keeps the rows alive.
  private let blocks: [RecordedBlock]
  /// Keeps the tables alive.
  private let tables: [ConstantTable]
  /// Keeps the measurements alive.
  private let measures: [MeasureTable]
  private let views: UnsafeMutablePointer<View>

  /// The rows of one block, and the tables that translate the codes of its recorder.
  private struct View {
    let rows: UnsafePointer<IndexRow>
    let ids: UnsafePointer<UInt8>
    let types: UnsafePointer<UInt32>
    let context: UnsafePointer<UInt32>
    let props: UnsafePointer<UInt32>
    /// The measurements by the recorder's `props` code; `nil` if the batch measures no property.
    let measures: MeasureTable.Contents?
  }

  /// Creates the views of blocks.
  ///
  /// - Parameter union: The union of the dictionaries of all recorders, by recorder number.
  init(_ blocks: [RecordedBlock], _ union: DictionaryUnion) {
    self.blocks = blocks
    tables = (union.types + union.context + union.props).map(ConstantTable.init)
    measures = union.measures
    let recorders = union.types.count
    views = .allocate(capacity: max(blocks.count, 1))
    for (number, block) in blocks.enumerated() {
      (views + number).initialize(
        to: View(
          rows: UnsafePointer(block.rows.base), ids: UnsafePointer(block.ids.base), types: tables[block.recorder].base,
          context: tables[recorders + block.recorder].base, props: tables[2 * recorders + block.recorder].base,
          measures: union.measures.isEmpty ? nil : union.measures[block.recorder].contents))
    }
  }

  deinit { views.deallocate() }

  /// A row with the codes of the batch. Its ID is valid as long as the batch.
  struct Row {
    let sequence: Int64
    let attempt: UInt64
    let type: UInt32
    let context: UInt32
    let props: UInt32
    let id: PackedID
  }

  /// Returns the row of a sort key.
  @inline(__always)
  func row(_ sorted: SortedRow) -> Row {
    let view = views + Int(sorted.block)
    let row = view.pointee.rows + Int(sorted.row)
    return self.row(row, of: sorted.block, idBytes: UnsafeRawPointer(view.pointee.ids + Int(row.pointee.idStart)))
  }

  /// Returns the translation of a recorded row of `block`, which may be a copy.
  ///
  /// - Parameter idBytes: The address of the row's packed ID, which may be a copy too.
  @inline(__always)
  func row(_ row: UnsafePointer<IndexRow>, of block: UInt32, idBytes: UnsafeRawPointer) -> Row {
    let view = views + Int(block)
    return Row(
      sequence: row.pointee.sequence, attempt: row.pointee.attempt, type: view.pointee.types[Int(row.pointee.type)],
      context: view.pointee.context[Int(row.pointee.context)], props: view.pointee.props[Int(row.pointee.props)],
      id: PackedID(
        form: PackedID.Form(rawValue: row.pointee.idForm) ?? .text,
        bytes: UnsafeRawBufferPointer(start: idBytes, count: Int(row.pointee.idByteCount))))
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
    guard let items = views[Int(block)].measures?[content], !items.isEmpty else { return }
    var next = 0
    for item in items {
      var number = item.number
      if item.column != MeasureTable.none {
        number = numbers[next]
        next &+= 1
      }
      if item.measure != MeasureTable.none { body(number, item.measure) }
    }
  }

  /// Returns the recorded row of a sort key.
  @inline(__always)
  func recorded(_ sorted: SortedRow) -> UnsafePointer<IndexRow> { views[Int(sorted.block)].rows + Int(sorted.row) }

  /// Returns the subject of a row, packed like an ID.
  func subject(_ sorted: SortedRow) -> PackedID {
    let row = recorded(sorted)
    return PackedID(
      form: PackedID.Form(rawValue: row.pointee.subjectForm) ?? .text,
      bytes: UnsafeRawBufferPointer(
        start: idBytes(row, of: sorted.block) + Int(row.pointee.idByteCount), count: Int(row.pointee.subjectByteCount)))
  }

  /// Returns the address of the packed ID of a recorded row of `block`.
  @inline(__always)
  func idBytes(_ row: UnsafePointer<IndexRow>, of block: UInt32) -> UnsafeRawPointer {
    UnsafeRawPointer(views[Int(block)].ids + Int(row.pointee.idStart))
  }
}
