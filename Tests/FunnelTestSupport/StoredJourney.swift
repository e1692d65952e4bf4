public import FunnelHistories
public import FunnelIndex

/// A journey that owns its events.
public struct StoredJourney: Sendable {
  public var events: [JourneyEvent]
  public var segments: SegmentTable

  public init(events: [JourneyEvent], segments: SegmentTable = SegmentTable()) {
    self.events = events
    self.segments = segments
  }

  /// Calls a body with the journey, which is valid only during the call.
  public func withJourney<Result>(_ body: (Journey) -> Result) -> Result {
    events.withUnsafeBufferPointer { body(Journey(events: $0, segments: segments)) }
  }
}
