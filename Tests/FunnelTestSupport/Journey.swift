package import FunnelSequences
package import FunnelIndex
package import FunnelModel

/// One group's events in the order of specification section 3, with no event after `now`.
///
/// A journey borrows its events: it is valid only during the call that provides it.
package struct Journey {
  /// The events, in order.
  package let events: UnsafeBufferPointer<FlowEvent>
  /// The dimension values of the events.
  package let segments: SegmentTable
  /// The flowMatches that the codes of the events refer to; an event whose code is beyond them has no detail.
  package let entries: [EventClassTable.Entry]

  package init(events: UnsafeBufferPointer<FlowEvent>, segments: SegmentTable, entries: [EventClassTable.Entry] = []) {
    self.events = events
    self.segments = segments
    self.entries = entries
  }
}

extension Journey {
  /// Returns the value of a dimension at an event: a stored value, or a part of the calendar date in the time zone.
  package func value(of dimension: Dimension, at event: FlowEvent, in timeZone: TimeZoneRules) -> PropertyValue {
    if let text = timeZone.value(of: dimension, at: event.milliseconds) { return .string(text) }
    return segments.value(of: dimension, row: event.row)
  }
}
