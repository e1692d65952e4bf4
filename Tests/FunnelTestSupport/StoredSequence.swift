package import FunnelIndex
package import FunnelModel
package import FunnelProjections

/// The events of one group in the order of specification section 3, with no event after `now`.
package struct StoredSequence: Sendable {
  /// The events, in order.
  package var events: [TimedEvent]
  /// The dimension values of the events.
  package var segments: SegmentTable
  /// The entries that the class IDs of the events refer to. An event whose ID is beyond them has no detail.
  package var entries: [EventClassTable.Entry]

  package init(events: [TimedEvent], segments: SegmentTable = SegmentTable(), entries: [EventClassTable.Entry] = []) {
    self.events = events
    self.segments = segments
    self.entries = entries
  }

  /// Returns the detail of an event, or `nil` if it has none.
  func detail(of event: TimedEvent) -> EventDetail? {
    Int(event.classID) < entries.count ? entries[Int(event.classID)].detail : nil
  }

  /// Returns the value of a dimension at an event: a stored value, or a part of the calendar date in the time zone.
  func value(of dimension: Dimension, at event: TimedEvent, in timeZone: TimeZoneRules) -> PropertyValue {
    if let text = timeZone.value(of: dimension, at: event.milliseconds) { return .string(text) }
    return segments.value(of: dimension, row: event.row)
  }
}
