/// Copies of a partition's rows and of their ids, in their sorted order.
///
/// Sorted rows are scattered over the memory of a batch, so accessing them during encoding would cause a cache miss each. Copying them
/// first, in simple loops, lets the processor fetch many at once.
struct GatheredRows: ~Copyable {
  private let rows: UnsafeMutablePointer<IndexRow>
  private let ids: UnsafeMutablePointer<(UInt64, UInt64)>

  init(_ sorted: UnsafeBufferPointer<SortedRow>, _ views: BlockViews) {
    rows = .allocate(capacity: max(sorted.count, 1))
    ids = .allocate(capacity: max(sorted.count, 1))
    for index in 0..<sorted.count { rows[index] = views.recorded(sorted[index]).pointee }
    for index in 0..<sorted.count where rows[index].idByteCount == 16 {
      ids[index] = views.idBytes(rows + index, of: sorted[index].block).loadUnaligned(as: (UInt64, UInt64).self)
    }
  }

  deinit {
    rows.deallocate()
    ids.deallocate()
  }

  /// Returns the row of an index with the codes of the batch. Its id is valid while both this object and the batch exist.
  @inline(__always)
  func row(_ index: Int, of views: BlockViews, _ sorted: SortedRow) -> BlockViews.Row {
    let row = rows + index
    let isCopied = row.pointee.idByteCount == 16
    return views.row(
      row, of: sorted.block, idBytes: isCopied ? UnsafeRawPointer(ids + index) : views.idBytes(row, of: sorted.block))
  }
}
