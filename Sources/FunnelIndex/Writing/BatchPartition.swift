internal import FunnelIngest

/// One partition of a batch from which a sorted run is written: its rows in sorted order, each dropped or not.
///
/// Not thread-safe: one thread searches and encodes a partition.
final class BatchPartition {
  /// The index of the partition.
  let number: Int
  /// The rows in sorted order. An event of the partition is identified by its index here.
  let rows: UnsafeBufferPointer<SortedRow>
  private let batch: IndexBatch
  private let gathered: GatheredRows
  /// Whether each event is dropped.
  private var isDropped: GrowingStorage<Bool>
  /// The hash of each event's ID; empty before ``hashIDs()``.
  private var hashes = GrowingStorage<UInt64>()
  /// The number of the app and name of each event type of the batch (``IdentityNames``).
  private let names: [Int32]

  /// Copies the rows of a partition.
  ///
  /// - Parameter names: The numbers that ``name(_:)`` returns, by event type; empty if it is not called.
  init(_ batch: IndexBatch, _ number: Int, names: [Int32] = []) {
    self.batch = batch
    self.number = number
    self.names = names
    rows = batch.rows(ofPartition: number)
    gathered = GatheredRows(rows, batch.views, hasNumbers: batch.union.measureCount > 0)
    isDropped = GrowingStorage(capacity: rows.count)
    isDropped.extend(by: rows.count).initialize(repeating: false, count: rows.count)
  }

  /// Returns the fields of an event, with the dictionary codes of the batch.
  @inline(__always)
  func row(_ event: Int) -> BlockViews.Row { gathered.row(event, of: batch.views, rows[event]) }

  /// Returns the number of an event's app and name.
  @inline(__always)
  func name(_ event: Int) -> Int32 { names[Int(row(event).type)] }

  /// Returns a hash of an event's ID. Requires ``hashIDs()``.
  @inline(__always)
  func idHash(_ event: Int) -> UInt64 { hashes[event] }

  /// Computes the hash of each ID, for the search for duplicates.
  func hashIDs() {
    hashes.reserve(rows.count)
    for event in 0..<rows.count { hashes.append(ByteHash.hash(row(event).id.bytes)) }
  }

  /// Drops an event.
  @inline(__always)
  func drop(_ event: Int) { isDropped[event] = true }

  /// The rows of the dropped events.
  var droppedRows: [SortedRow] { rows.indices.filter { isDropped[$0] }.map { rows[$0] } }

  /// Returns the encoded partition, without the dropped events.
  func encode() -> EncodedPartition {
    var encoder = PartitionEncoder(
      typeWidth: IndexFormat.width(forCodes: batch.union.dictionaries.types.count), measures: batch.union.measureCount,
      events: rows.count)
    let hasMeasures = batch.union.measureCount > 0
    var start = 0
    while start < rows.count {
      var end = start
      var hasEvents = false
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) {
        if !isDropped[end] {
          hasEvents = true
          let row = row(end)
          encoder.append(
            milliseconds: rows[end].milliseconds, sequence: row.sequence, type: row.type, attempt: row.attempt,
            context: row.context, props: row.props, id: row.id)
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
