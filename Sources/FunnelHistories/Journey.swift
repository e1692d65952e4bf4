public import FunnelIndex
public import FunnelModel

/// One event of a journey, reduced to the fields that projectors read. It takes 40 bytes and holds no references.
public struct JourneyEvent: Hashable, Sendable {
  /// The time of the event, in milliseconds since the epoch.
  public var milliseconds: Int64
  /// The meaning of the event to its flow.
  public var kind: EventKind
  /// The row of the event's dimension values in the ``SegmentTable``.
  public var row: UInt32

  public init(milliseconds: Int64, kind: EventKind, row: UInt32 = 0) {
    self.milliseconds = milliseconds
    self.kind = kind
    self.row = row
  }
}

/// One group's events in the order of specification section 3, with no event after `now`.
///
/// A journey borrows its events: it is valid only during the call that provides it.
public struct Journey {
  /// The events, in order.
  public let events: UnsafeBufferPointer<JourneyEvent>
  /// The dimension values of the events.
  public let segments: SegmentTable

  public init(events: UnsafeBufferPointer<JourneyEvent>, segments: SegmentTable) {
    self.events = events
    self.segments = segments
  }
}
