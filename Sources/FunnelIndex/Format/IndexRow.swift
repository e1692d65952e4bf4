internal import FunnelIngest

/// An event as recorded for the index, with its texts replaced by dictionary codes. It takes 64 bytes.
struct IndexRow: BitwiseCopyable, Sendable {
  /// The hash of the subject. Its top bits are the partition.
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  var sequence: Int64
  /// A hash of the attempt, or 0 if the event has none.
  var attempt: UInt64
  /// The codes of type, `ctx` and `props` in the recorder's dictionaries.
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// The offset of the packed ID in ``RecordedBlock/ids``.
  var idStart: UInt32
  var idByteCount: UInt8
  /// The raw value of the ID's ``PackedID/Form``.
  var idForm: UInt8
  /// The number of bytes of the packed subject, which follows the ID.
  var subjectByteCount: UInt8
  /// The raw value of the subject's ``PackedID/Form``.
  var subjectForm: UInt8
  /// The number of measurements, which precede the ID (``RecordedNumbers``).
  var measurementCount: UInt8

  /// The partition of the subject.
  var partition: Int { Int(truncatingIfNeeded: subjectHigh >> IndexFormat.partitionShift) }
}

/// The index rows of one decoded block, one for each of its events, in the same order.
package final class RecordedBlock: Sendable {
  /// The number of the recorder whose dictionaries decode the codes.
  let recorder: Int
  let rows: GrowingStorage<IndexRow>
  /// For each row its measurements, its packed ID and its packed subject.
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
