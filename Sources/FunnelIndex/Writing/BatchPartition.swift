internal import FunnelIngest

/// One partition of a batch that is being made into a run: its rows, copied in sorted order, and which of them are dropped.
///
/// A partition must not be shared between threads.
final class BatchPartition {
  let number: Int
  let rows: UnsafeBufferPointer<SortedRow>
  private let batch: IndexBatch
  private let gathered: GatheredRows
  private var isDropped: GrowingStorage<Bool>
  private var hashes = GrowingStorage<UInt64>()
  /// A number for the app and name of each type of the batch.
  private let names: [Int32]

  init(_ batch: IndexBatch, _ number: Int, names: [Int32] = []) {
    self.batch = batch
    self.number = number
    self.names = names
    rows = batch.rows(ofPartition: number)
    gathered = GatheredRows(rows, batch.views, hasNumbers: batch.union.measureCount > 0)
    isDropped = GrowingStorage(capacity: rows.count)
    isDropped.extend(by: rows.count).initialize(repeating: false, count: rows.count)
  }

  /// Returns an event with the codes of the batch.
  @inline(__always)
  func row(_ event: Int) -> BlockViews.Row { gathered.row(event, of: batch.views, rows[event]) }

  /// Returns the number for the app and name of an event.
  @inline(__always)
  func name(_ event: Int) -> Int32 { names[Int(row(event).type)] }

  /// Returns a hash of an event's id; ``hashIDs()`` must have been called.
  @inline(__always)
  func idHash(_ event: Int) -> UInt64 { hashes[event] }

  /// Computes the hashes that the search for duplicates needs.
  func hashIDs() {
    hashes.reserve(rows.count)
    for event in 0..<rows.count { hashes.append(ByteHash.hash(row(event).id.bytes)) }
  }

  /// Drops an event.
  @inline(__always)
  func drop(_ event: Int) { isDropped[event] = true }

  /// The events that are dropped.
  var droppedRows: [SortedRow] { rows.indices.filter { isDropped[$0] }.map { rows[$0] } }

  /// Encodes the events that are not dropped.
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
