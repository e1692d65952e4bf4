/// The order of events in a history (specification section 3): time, `seq`, the place of the step entered, id, name.
///
/// Everything that puts a subject's events in order asks this. Who has no flow at hand (a run of the index, which must not depend on flow
/// definitions) leaves the place of the step out, and the reader sorts again by it. The log has an order of its own, time and bytes of the
/// record (`EventBatch`): it is made for compression and for finding duplicates, and no report depends on it.
///
/// What a flow reads a single event as has an order too: that of the steps entered (`FlowReading`). It is asked where `FunnelIndex` is not
/// known, and about parts of one event, which share time, `seq`, id and name.
package enum EventOrder {
  /// What decides the order of nearly all events: everything but id and name, which take longer to get at.
  package struct Moment: Comparable, BitwiseCopyable {
    var milliseconds: Int64
    /// The event's `seq`, or 0 if it has none.
    var sequence: Int64
    /// The place of the step that the event enters (``EventKind/tieRank(stepCount:)``), or 0 where no flow is known.
    var rank: Int

    @inline(__always)
    package init(milliseconds: Int64, sequence: Int64, rank: Int = 0) {
      (self.milliseconds, self.sequence, self.rank) = (milliseconds, sequence, rank)
    }

    @inline(__always)
    package static func < (a: Moment, b: Moment) -> Bool {
      if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
      if a.sequence != b.sequence { return a.sequence < b.sequence }
      return a.rank < b.rank
    }
  }

  /// Returns whether an event comes before another.
  ///
  /// - Parameters:
  ///   - idOrder: Whether the first event's id precedes the other's, or nil if they are equal. Called only if the moments are equal.
  ///   - namePrecedes: Whether the first event's name precedes the other's. Called only if the ids are equal too.
  @inline(__always)
  package static func precedes(
    _ a: Moment, _ b: Moment, idOrder: () -> Bool?, namePrecedes: () -> Bool
  ) -> Bool {
    a == b ? idOrder() ?? namePrecedes() : a < b
  }
}
