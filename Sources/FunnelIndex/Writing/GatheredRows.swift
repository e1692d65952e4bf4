internal import FunnelIngest

/// Copies of a partition's rows, with their IDs and measured numbers, in sorted order.
struct GatheredRows: ~Copyable {
  // Sorted rows are scattered over the memory of a batch. Encoding them in place would cause a cache miss for
  // each. The simple loops that copy them let the processor fetch many at once.

  private let rows: UnsafeMutablePointer<IndexRow>
  /// The copies of 16-byte IDs. If rows have numbers, the number of a row with only one precedes its ID, as in a block
  /// (``RecordedNumbers``).
  private let ids: UnsafeMutableRawPointer
  /// The distance from one ID to the next, in bytes.
  private let idStride: Int

  private static let idBytes = 16

  /// Copies rows.
  ///
  /// - Parameter hasNumbers: Whether rows may have measured numbers.
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

  /// Returns the address of the copy of an ID.
  @inline(__always)
  private func copy(_ index: Int) -> UnsafeMutableRawPointer { ids + (index &+ 1) &* idStride - Self.idBytes }

  /// Returns the row at an index, with the dictionary codes of the batch. Its ID is valid while this object and
  /// the batch exist.
  @inline(__always)
  func row(_ index: Int, of views: BlockViews, _ sorted: SortedRow) -> BlockViews.Row {
    let row = rows + index
    let isCopied = row.pointee.idByteCount == Self.idBytes
    return views.row(
      row, of: sorted.block, idBytes: isCopied ? UnsafeRawPointer(copy(index)) : views.idBytes(row, of: sorted.block))
  }

  /// Passes the measurements of a row to `body`, in the order of their keys. Requires rows that were copied
  /// with their numbers.
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
