package import FunnelSequences
package import FunnelIndex
package import FunnelModel

/// A journey that owns its events.
package struct StoredSequence: Sendable {
  package var events: [FlowEvent]
  package var segments: SegmentTable
  /// The flowMatches that the codes of the events refer to.
  package var entries: [EventClassTable.Entry]

  package init(events: [FlowEvent], segments: SegmentTable = SegmentTable(), entries: [EventClassTable.Entry] = []) {
    self.events = events
    self.segments = segments
    self.entries = entries
  }

  /// Returns what tells an event apart from others of its kind, if anything does.
  func detail(of event: FlowEvent) -> EventDetail? {
    Int(event.code) < entries.count ? entries[Int(event.code)].detail : nil
  }

  /// Calls a body with the journey, which is valid only during the call.
  package func withJourney<Result>(_ body: (Journey) -> Result) -> Result {
    events.withUnsafeBufferPointer { body(Journey(events: $0, segments: segments, entries: entries)) }
  }
}
