internal import FunnelIngest

/// One event on its way into the index: what is left of it once its texts have become codes. 64 bytes.
struct IndexRow: BitwiseCopyable, Sendable {
  /// Hash of the subject; its top bits are the partition.
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  var sequence: Int64
  /// Hash of the attempt; 0 where the event names none.
  var attempt: UInt64
  /// Codes of the recorder's dictionaries.
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// Where its packed id begins among the ids of its block.
  var idStart: UInt32
  var idByteCount: UInt8
  /// Raw value of the id's ``PackedID/Form``.
  var idForm: UInt8

  var partition: Int { Int(truncatingIfNeeded: subjectHigh >> IndexFormat.partitionShift) }
}

/// The rows of one decoded block, aligned with its events.
package final class RecordedBlock: Sendable {
  /// Which recorder's dictionaries the codes are of.
  let recorder: Int
  let rows: GrowingStorage<IndexRow>
  let ids: GrowingBytes

  init(recorder: Int, rows: consuming GrowingStorage<IndexRow>, ids: consuming GrowingBytes) {
    self.recorder = recorder
    self.rows = rows
    self.ids = ids
  }

  /// How many events it has.
  package var count: Int { rows.count }

  /// Bytes of memory it takes, about.
  package var byteCount: Int { rows.count * MemoryLayout<IndexRow>.stride + ids.count }
}
