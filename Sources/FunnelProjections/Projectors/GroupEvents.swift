package import FunnelModel

/// The events of one group in order, without their times.
///
/// Contributions are cached by the sequence of event classes, so a projector may depend on nothing else. The questions
/// about the period (``isInPeriod(_:)``) and about windows (``isInWindow(_:from:)``) are allowed, because the cache
/// contains only groups for which they have the same answers (``FoldWorker``). Reading times requires a ``TimeAccess``:
///
///     let elapsed = events.milliseconds(from: first, to: second, contribution.accessTimes())
package struct GroupEvents: ~Escapable {
  @usableFromInline let events: Span<TimedEvent>
  @usableFromInline let entries: Span<EventClassTable.Entry>
  @usableFromInline let clock: WindowClock
  @usableFromInline let period: AnchorPeriod
  private let subjectRuleBreaches: Set<Int>
  private let returnTimes: [Int64]

  /// Creates a view of the events of a group.
  ///
  /// - Parameters:
  ///   - events: The events in order of time.
  ///   - entries: The entries of the source's `EventClassTable`, by event class ID. May be empty if no detail is read.
  ///   - query: The query of the projectors that read the events.
  ///   - subjectRuleBreaches: The indices of the events that break a rule about all groups of their subject.
  ///   - returnTimes: The times of the subject's return events, ascending. Empty unless a projector reads them.
  @_lifetime(copy events, copy entries)
  package init(
    _ events: Span<TimedEvent>, entries: Span<EventClassTable.Entry>, query: borrowing FlowQuery,
    subjectRuleBreaches: Set<Int> = [], returnTimes: [Int64] = []
  ) {
    self.events = events
    self.entries = entries
    clock = query.clock
    period = query.period
    self.subjectRuleBreaches = subjectRuleBreaches
    self.returnTimes = returnTimes
  }

  /// The number of events.
  @inlinable @inline(__always)
  package var count: Int { events.count }

  /// The indices of the events.
  @inlinable @inline(__always)
  package var indices: Range<Int> { 0..<events.count }

  /// Returns the class of an event.
  @inlinable @inline(__always)
  package subscript(index: Int) -> EventClass { events[index].kind }

  /// Returns the detail of an event, or `nil` unless a projector needs details (``EventNeeds/details``).
  package func detail(at index: Int) -> EventDetail? {
    let classID = Int(events[index].classID)
    return classID < entries.count ? entries[classID].detail : nil
  }

  /// Returns the events after the first `count` ones.
  @_lifetime(copy self)
  func droppingFirst(_ count: Int) -> GroupEvents {
    GroupEvents(events.extracting(droppingFirst: count), of: self)
  }

  /// Creates a view of a part of the events of a group.
  @_lifetime(copy events, copy group)
  private init(_ events: Span<TimedEvent>, of group: GroupEvents) {
    self.events = events
    entries = group.entries
    clock = group.clock
    period = group.period
    subjectRuleBreaches = []
    returnTimes = []
  }

  /// Returns the index of the first event that satisfies a predicate on its class, or `nil` if there is none.
  @inlinable @inline(__always)
  package func firstIndex(where predicate: (EventClass) -> Bool) -> Int? {
    for index in 0..<events.count where predicate(events[index].kind) { return index }
    return nil
  }
}

extension GroupEvents {
  /// Returns whether an event is in the period of the query.
  @inlinable @inline(__always)
  package func isInPeriod(_ index: Int) -> Bool { period.contains(events[index].milliseconds) }

  /// The index of the first event in the period of the query, or `nil` if there is none.
  package var firstInPeriod: Int? {
    for index in 0..<events.count where isInPeriod(index) { return index }
    return nil
  }

  /// Returns whether an event is not after the conversion window that opens with another event.
  @inlinable @inline(__always)
  package func isInWindow(_ index: Int, from opening: Int) -> Bool {
    clock.window(from: events[opening].milliseconds).contains(events[index].milliseconds)
  }
}

/// The permission to read what contributions must not be cached by: times, and other groups of the subject.
///
/// Only ``Contribution/accessTimes()`` returns it, and marks the contribution. It does not escape, so a projector can't
/// keep it for another group.
package struct TimeAccess: ~Escapable {
  @_lifetime(immortal)
  init() {}
}

extension GroupEvents {
  /// Returns the time from one event to another, in milliseconds.
  package func milliseconds(from start: Int, to end: Int, _ access: borrowing TimeAccess) -> Int64 {
    events[end].milliseconds - events[start].milliseconds
  }

  /// Returns the time of an event, in milliseconds since the epoch.
  package func milliseconds(at event: Int, _ access: borrowing TimeAccess) -> Int64 { events[event].milliseconds }

  /// Returns the times of the return events of the group's subject or person, ascending, in milliseconds since the epoch.
  package func returnTimes(_ access: borrowing TimeAccess) -> [Int64] { returnTimes }

  /// Returns whether an event breaks a rule about all groups of its subject (``SubjectRule``).
  package func breaksSubjectRule(_ index: Int, _ access: borrowing TimeAccess) -> Bool {
    subjectRuleBreaches.contains(index)
  }
}

/// The time and the class of one event.
package struct TimedEvent: Hashable, Sendable {
  /// The time of the event, in milliseconds since the epoch.
  package var milliseconds: Int64
  /// The class of the event in its flow.
  package var kind: EventClass
  /// The row of the event's dimension values in the ``SegmentTable``.
  package var row: UInt32
  /// The event class ID in the source's `EventClassTable`. The default is the ID of no class.
  package var classID: EventClassID

  /// Creates an event.
  @inlinable
  package init(milliseconds: Int64, kind: EventClass, row: UInt32 = 0, classID: EventClassID = .max) {
    self.milliseconds = milliseconds
    self.kind = kind
    self.row = row
    self.classID = classID
  }
}
