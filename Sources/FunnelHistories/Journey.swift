public import FunnelIndex
public import FunnelModel

/// One event of a journey, reduced to what projectors read. 40 bytes, no references.
public struct JourneyEvent: Hashable, Sendable {
  /// When it happened, in milliseconds since the epoch.
  public var milliseconds: Int64
  /// What it means to its flow.
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
/// A journey borrows its events: it is valid only inside the call that hands it out.
public struct Journey {
  /// The events, sorted.
  public let events: UnsafeBufferPointer<JourneyEvent>
  /// The dimension values of the events.
  public let segments: SegmentTable

  public init(events: UnsafeBufferPointer<JourneyEvent>, segments: SegmentTable) {
    self.events = events
    self.segments = segments
  }
}
