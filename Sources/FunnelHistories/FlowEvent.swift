public import FunnelModel

/// One event of a journey, reduced to the fields that projectors read. It holds no references.
public struct FlowEvent: Hashable, Sendable {
  /// The time of the event, in milliseconds since the epoch.
  public var milliseconds: Int64
  /// The meaning of the event to its flow.
  public var kind: EventClass
  /// The row of the event's dimension values in the ``SegmentTable``.
  public var row: UInt32
  /// The code of the event's meaning in the source's `EventClassTable`.
  public var code: UInt32

  public init(milliseconds: Int64, kind: EventClass, row: UInt32 = 0, code: UInt32 = .max) {
    self.milliseconds = milliseconds
    self.kind = kind
    self.row = row
    self.code = code
  }
}
