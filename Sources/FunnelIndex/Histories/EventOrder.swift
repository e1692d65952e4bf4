/// The order of events in a history (specification section 3): time, `seq`, the place of the step entered, id, name.
///
/// Everything that sorts a subject's events compares them with this type. A run of the index must not depend on flow definitions, so it
/// leaves the place of the step out, and its reader sorts again by it.
///
/// Two other orders are kept apart. The log is sorted by time and bytes of the record (`EventBatch`), which serves compression and the
/// search for duplicates; no report depends on it. The parts that a flow makes of one event share time, `seq`, id and name, and are sorted
/// by the steps they enter (`FlowReading`, in a module that does not know this one).
package enum EventOrder {
  /// The fields that decide nearly all comparisons: all but id and name, which take longer to read.
  package struct Moment: Comparable, BitwiseCopyable {
    var milliseconds: Int64
    /// The event's `seq`, or 0 if it has none.
    var sequence: Int64
    /// The place of the step that the event enters (``EventClass/tieRank(stepCount:)``), or 0 where no flow is known.
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
