import FunnelIndex
import FunnelModel

/// **Invariants** of this file: a sequence borrows its columns, each of `count` values, for as long as it exists.

extension EventSequence {
  /// The event class ID of each event.
  @inline(__always)
  var allClassIDs: Span<EventClassID> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeElements: classIDs.buffer), borrowing: self) }
  }

  /// The time of each event, in milliseconds since the epoch.
  @inline(__always)
  var allTimes: Span<Int64> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeElements: times.buffer), borrowing: self) }
  }

  /// Returns the index in the subject's event sequence of an event of this sequence.
  func position(of event: Int) -> Int { positions.map { Int($0[event]) } ?? event }

  /// Returns whether the events, all of one flow, are one group. Returns `false` for entries, because splitting them
  /// needs event classes.
  @inline(__always)
  func isOneGroup(by countBy: FlowDefinition.CountBy) -> Bool {
    switch countBy {
    case .person, .subject: true
    case .attempt: hasOneAttempt
    case .entry: false
    }
  }

  /// Whether all events have the same attempt.
  @inline(__always)
  private var hasOneAttempt: Bool {
    guard let attempts else { return true }
    for index in 1..<count where attempts[index] != attempts[0] { return false }
    return true
  }
}
