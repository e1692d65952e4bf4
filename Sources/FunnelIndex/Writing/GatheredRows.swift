internal import FunnelIngest

/// Copies of a partition's rows and of their ids and numbers, in their sorted order.
///
/// Sorted rows are scattered over the memory of a batch, so accessing them during encoding would cause a cache miss each. Copying them
/// first, in simple loops, lets the processor fetch many at once.
struct GatheredRows: ~Copyable {
  private let rows: UnsafeMutablePointer<IndexRow>
  /// The copies of 16-byte ids. If there are numbers, the only number of a row precedes its id as in a block (``RecordedNumbers``).
  private let ids: UnsafeMutableRawPointer
  /// The number of bytes from one id to the next.
  private let idStride: Int

  private static let idBytes = 16

  /// - Parameter hasNumbers: Whether the rows may have numbers.
  init(_ sorted: UnsafeBufferPointer<SortedRow>, _ views: BlockViews, hasNumbers: Bool) {
    rows = .allocate(capacity: max(sorted.count, 1))
    idStride = hasNumbers ? 2 * Self.idBytes : Self.idBytes
    ids = .allocate(byteCount: max(sorted.count, 1) * idStride, alignment: Self.idBytes)
    for index in 0..<sorted.count { rows[index] = views.recorded(sorted[index]).pointee }
    for index in 0..<sorted.count where rows[index].idByteCount == Self.idBytes {
      let id = views.idBytes(rows + index, of: sorted[index].block)
      copy(index).storeBytes(of: id.loadUnaligned(as: (UInt64, UInt64).self), as: (UInt64, UInt64).self)
      if hasNumbers, rows[index].measurementCount == 1 { RecordedNumbers.copyOne(beforeID: id, to: copy(index)) }
    }
  }

  deinit {
    rows.deallocate()
    ids.deallocate()
  }

  /// Returns the address of the copy of an id.
  @inline(__always)
  private func copy(_ index: Int) -> UnsafeMutableRawPointer { ids + (index &+ 1) &* idStride - Self.idBytes }

  /// Returns the row of an index with the codes of the batch. Its id is valid while both this object and the batch exist.
  @inline(__always)
  func row(_ index: Int, of views: BlockViews, _ sorted: SortedRow) -> BlockViews.Row {
    let row = rows + index
    let isCopied = row.pointee.idByteCount == Self.idBytes
    return views.row(
      row, of: sorted.block, idBytes: isCopied ? UnsafeRawPointer(copy(index)) : views.idBytes(row, of: sorted.block))
  }

  /// Passes the measurements of a row to `body`, in the order of their keys. The rows must have been gathered with their numbers.
  @inline(__always)
  func forEachMeasurement(
    _ index: Int, of views: BlockViews, _ sorted: SortedRow, _ body: (_ number: MeasuredNumber, _ measure: UInt32) -> Void
  ) {
    let row = rows + index
    let isCopied = row.pointee.idByteCount == Self.idBytes && row.pointee.measurementCount == 1
    let id = isCopied ? UnsafeRawPointer(copy(index)) : views.idBytes(row, of: sorted.block)
    views.forEachMeasurement(
      ofContent: row.pointee.props, of: sorted.block,
      RecordedNumbers(beforeID: id, count: Int(row.pointee.measurementCount)), body)
  }
}
