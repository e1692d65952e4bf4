internal import FunnelIngest

/// One event that is being indexed, with its texts replaced by codes. It takes 64 bytes.
struct IndexRow: BitwiseCopyable, Sendable {
  /// The hash of the subject; its top bits are the partition.
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  var sequence: Int64
  /// The hash of the attempt, or 0 if the event has none.
  var attempt: UInt64
  /// The codes in the recorder's dictionaries.
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// The offset of the packed id in the texts of the block.
  var idStart: UInt32
  var idByteCount: UInt8
  /// The raw value of the id's ``PackedID/Form``.
  var idForm: UInt8
  /// The number of bytes of the packed subject, which follows the id.
  var subjectByteCount: UInt8
  var subjectForm: UInt8
  /// The number of measurements, which precede the id (``RecordedNumbers``).
  var measurementCount: UInt8

  var partition: Int { Int(truncatingIfNeeded: subjectHigh >> IndexFormat.partitionShift) }
}

/// The rows of one decoded block, aligned with its events.
package final class RecordedBlock: Sendable {
  /// The number of the recorder whose dictionaries decode the codes.
  let recorder: Int
  let rows: GrowingStorage<IndexRow>
  let ids: GrowingBytes

  init(recorder: Int, rows: consuming GrowingStorage<IndexRow>, ids: consuming GrowingBytes) {
    self.recorder = recorder
    self.rows = rows
    self.ids = ids
  }

  /// The number of events.
  package var count: Int { rows.count }

  /// The approximate number of bytes of memory in use.
  package var byteCount: Int { rows.count * MemoryLayout<IndexRow>.stride + ids.count }
}
