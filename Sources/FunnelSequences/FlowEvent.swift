package import FunnelModel

/// One event of a group, reduced to the fields that projectors read.
package struct FlowEvent: Hashable, Sendable {
  /// The time of the event, in milliseconds since the epoch.
  package var milliseconds: Int64
  /// The event class of the event in its flow.
  package var kind: EventClass
  /// The row of the event's dimension values in the ``SegmentTable``.
  package var row: UInt32
  /// The event class ID in the source's `EventClassTable`; the default is the ID of no class.
  package var code: UInt32

  package init(milliseconds: Int64, kind: EventClass, row: UInt32 = 0, code: UInt32 = .max) {
    self.milliseconds = milliseconds
    self.kind = kind
    self.row = row
    self.code = code
  }
}
