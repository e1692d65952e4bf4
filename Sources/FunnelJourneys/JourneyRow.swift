internal import FunnelIngest
internal import FunnelModel

/// One event on its way into a journey: what it is grouped, ordered and deduplicated by.
struct JourneyRow: Sendable {
  var subject: Hash128
  var identity: Hash128
  /// Hash of the attempt; 0 where the event names none.
  var attempt: UInt64
  var milliseconds: Int64
  var sequence: Int64
  var kind: EventKind
  /// Index of the flow version in the catalog, -1 for none.
  var flow: Int32
  /// What it means, a code of the table's kinds; 0 where it belongs to no flow.
  var code: UInt32 = 0
  /// The row of its dimension values.
  var segment: UInt32
  /// The block it came in, whose texts and records it points into.
  var block: UInt32
  /// Where its id, and its name behind it, start among the block's texts.
  var text: UInt32
  var idByteCount: UInt8
  var nameByteCount: UInt8
  /// Hash of the line it came in: of duplicates with equal lines none is smaller.
  var lineHash: UInt64
}
