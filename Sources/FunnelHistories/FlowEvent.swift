public import FunnelModel

/// One event of a group, reduced to the fields that projectors read.
public struct FlowEvent: Hashable, Sendable {
  /// The time of the event, in milliseconds since the epoch.
  public var milliseconds: Int64
  /// The event class of the event in its flow.
  public var kind: EventClass
  /// The row of the event's dimension values in the ``SegmentTable``.
  public var row: UInt32
  /// The event class ID in the source's `EventClassTable`; the default is the ID of no class.
  public var code: UInt32

  public init(milliseconds: Int64, kind: EventClass, row: UInt32 = 0, code: UInt32 = .max) {
    self.milliseconds = milliseconds
    self.kind = kind
    self.row = row
    self.code = code
  }
}
