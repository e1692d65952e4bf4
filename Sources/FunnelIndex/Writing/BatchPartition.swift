import FunnelDecoding

/// One partition of a batch from which a sorted run is written: its rows in sorted order, each dropped or not.
///
/// Not thread-safe: one thread searches and encodes a partition.
final class BatchPartition {
  /// The index of the partition.
  let number: Int
  /// The rows in sorted order. An event of the partition is identified by its index here.
  let rows: BorrowedColumn<SortedRow>
  private let batch: IndexBatch
  private let gathered: GatheredRows
  /// Whether each event is dropped.
  private var isDropped: UniqueArray<Bool>
  /// The hash of each event's ID; empty before ``hashIDs()``.
  private var hashes = UniqueArray<UInt64>()
  /// The number of the app and name of each event type of the batch (``IdentityNames``).
  private let names: [UInt32]

  /// Copies the rows of a partition.
  ///
  /// - Parameter names: The numbers that ``name(_:)`` returns, by event type; empty if it is not called.
  init(_ batch: IndexBatch, _ number: Int, names: [UInt32] = []) {
    self.batch = batch
    self.number = number
    self.names = names
    rows = batch.rows(ofPartition: number)
    gathered = GatheredRows(rows, batch.views, hasNumbers: batch.union.measureCount > 0)
    isDropped = UniqueArray(repeating: false, count: rows.count)
  }

  /// Returns the fields of an event, with the dictionary codes of the batch.
  @inline(__always)
  func row(_ event: Int) -> BlockViews.Row { gathered.row(event, of: batch.views, rows[event]) }

  /// Returns the number of an event's app and name.
  @inline(__always)
  func name(_ event: Int) -> UInt32 { names[Int(row(event).type)] }

  /// Returns a hash of an event's ID. Requires ``hashIDs()``.
  @inline(__always)
  func idHash(_ event: Int) -> UInt64 {
    assert(hashes.count == rows.count, "the IDs are hashed before they are searched")
    return hashes[event]
  }

  /// Computes the hash of each ID, for the search for duplicates.
  func hashIDs() {
    hashes.reserve(rows.count)
    for event in 0..<rows.count { hashes.append(ByteHash.hash(row(event).id.bytes)) }
  }

  /// Drops an event.
  @inline(__always)
  func drop(_ event: Int) { isDropped[event] = true }

  /// The rows of the dropped events.
  var droppedRows: [SortedRow] { (0..<rows.count).filter { isDropped[$0] }.map { rows[$0] } }

  /// Returns the encoded partition, without the dropped events.
  func encode() -> EncodedPartition {
    var encoder = PartitionEncoder(
      typeWidth: NumberWidth(forCodes: batch.union.dictionaries.types.count), measures: batch.union.measureCount,
      events: rows.count)
    let hasMeasures = batch.union.measureCount > 0
    var start = 0
    while start < rows.count {
      var end = start
      var hasEvents = false
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) {
        gathered.prefetchUser(end &+ GatheredRows.lookahead, of: batch.views, rows)
        if !isDropped[end] {
          hasEvents = true
          let row = row(end)
          encoder.append(
            milliseconds: rows[end].milliseconds, sequence: row.sequence, type: row.type, attempt: row.attempt,
            context: row.context, props: row.props, id: row.id, user: gathered.user(end, of: batch.views, rows[end]))
          if hasMeasures { gathered.forEachMeasurement(end, of: batch.views, rows[end]) { encoder.append($0, of: $1) } }
        }
        end += 1
      }
      if hasEvents {
        encoder.endSubject(
          key: .init(high: rows[start].subjectHigh, low: rows[start].subjectLow), name: batch.views.subject(rows[start]))
      }
      start = end
    }
    return encoder.finish()
  }
}

/// Copies of a partition's rows, with their IDs and measured numbers, in sorted order.
private struct GatheredRows: ~Copyable {
  // Sorted rows are scattered over the memory of a batch. Encoding them in place would cause a cache miss for
  // each. The simple loops that copy them let the processor fetch many at once.

  private var rows: UniqueArray<IndexRow>
  /// The copies of 16-byte IDs. If rows have numbers, the number of a row with only one precedes its ID, as in a block
  /// (``RecordedNumbers``).
  private var ids: UniqueBytes
  /// The distance from one ID to the next, in bytes.
  private let idStride: Int

  private static let idBytes = PackedID.hexadecimalBytes
  /// The number of rows by which users are prefetched in advance: about as many as are encoded during one access to main memory.
  static let lookahead = 16

  /// Copies rows.
  ///
  /// - Parameter hasNumbers: Whether rows may have measured numbers.
  init(_ sorted: BorrowedColumn<SortedRow>, _ views: BlockViews, hasNumbers: Bool) {
    rows = UniqueArray(capacity: sorted.count)
    idStride = hasNumbers ? 2 * Self.idBytes : Self.idBytes
    ids = UniqueBytes(capacity: sorted.count * idStride)
    _ = ids.appendUninitialized(sorted.count * idStride)
    for index in 0..<sorted.count { rows.append(views.recorded(sorted[index])) }
    for index in 0..<sorted.count where isCopied(index) {
      let bytes = views.ids(ofBlock: sorted[index].block)
      let start = Int(rows[index].idStart)
      ids.store(bytes.load(at: start, as: UInt64.self), at: copyStart(index))
      ids.store(bytes.load(at: start &+ 8, as: UInt64.self), at: copyStart(index) &+ 8)
      if hasNumbers, rows[index].measurementCount == 1 {
        RecordedNumbers(bytes, beforeID: start, count: 1).copyOne(to: ids, beforeID: copyStart(index))
      }
    }
  }

  /// Returns whether the ID of a row has a copy.
  @inline(__always)
  private func isCopied(_ index: Int) -> Bool { rows[index].idByteCount == Self.idBytes }

  /// Returns the offset of the copy of an ID.
  @inline(__always)
  private func copyStart(_ index: Int) -> Int { (index &+ 1) &* idStride &- Self.idBytes }

  /// Returns the row at an index, with the dictionary codes of the batch. Its ID is valid while this object and
  /// the batch exist.
  @inline(__always)
  func row(_ index: Int, of views: BlockViews, _ sorted: SortedRow) -> BlockViews.Row {
    let row = rows[index]
    let id =
      isCopied(index)
      ? row.id(in: ids.bytes, at: copyStart(index)) : row.id(in: views.ids(ofBlock: sorted.block), at: Int(row.idStart))
    return views.row(row, of: sorted.block, id: id)
  }

  /// Returns the packed user of a row, which is valid as long as the batch, or `nil` if it has none.
  @inline(__always)
  func user(_ index: Int, of views: BlockViews, _ sorted: SortedRow) -> PackedID? {
    rows[index].userByteCount == 0 ? nil : rows[index].user(in: views.ids(ofBlock: sorted.block))
  }

  /// Prefetches the user of a row, if there is such a row and it has one.
  @inline(__always)
  func prefetchUser(_ index: Int, of views: BlockViews, _ sorted: BorrowedColumn<SortedRow>) {
    guard index < rows.count, let user = user(index, of: views, sorted[index]) else { return }
    user.bytes.prefetch(0)
  }

  /// Passes the measurements of a row to `body`, in the order of their keys. Requires rows that were copied
  /// with their numbers.
  @inline(__always)
  func forEachMeasurement(
    _ index: Int, of views: BlockViews, _ sorted: SortedRow, _ body: (_ number: MeasuredNumber, _ measure: UInt32) -> Void
  ) {
    let row = rows[index]
    let count = Int(row.measurementCount)
    let numbers =
      isCopied(index) && count == 1
      ? RecordedNumbers(ids.bytes, beforeID: copyStart(index), count: count)
      : RecordedNumbers(views.ids(ofBlock: sorted.block), beforeID: Int(row.idStart), count: count)
    views.forEachMeasurement(ofContent: row.props, of: sorted.block, numbers, body)
  }
}
