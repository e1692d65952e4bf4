/// The order of events in an event sequence (specification section 3): time, `seq`, rank of the step entered, ID, name.
///
/// Readers of the index and of files compare a subject's events with this type. `SubjectTrace` sorts the few events of one
/// subject by the same rule.
package enum EventOrder {
  // A sorted run of the index must not depend on flow definitions. It is sorted without the rank, and its
  // reader sorts again by it.
  //
  // Two other orders exist. The log is sorted by time and the bytes of the record (`EventBatch`), for
  // compression and the search for duplicates; no report depends on it. The events that a flow derives from one
  // event share time, `seq`, ID and name; `FlowReading`, in a module below this one, sorts them by the steps
  // they enter.

  /// The fields that decide nearly all comparisons: all except ID and name, which take longer to read.
  package struct Moment: Comparable, BitwiseCopyable {
    /// The time in milliseconds since the epoch.
    var milliseconds: Int64
    /// The event's `seq`, or 0 if it has none.
    var sequence: Int64
    /// The rank of the step that the event enters (``EventClass/tieRank(stepCount:)``), or 0 where no flow applies.
    var rank: Int

    /// Creates a moment.
    @inline(__always)
    package init(milliseconds: Int64, sequence: Int64, rank: Int = 0) {
      self.milliseconds = milliseconds
      self.sequence = sequence
      self.rank = rank
    }

    @inline(__always)
    package static func < (a: Moment, b: Moment) -> Bool {
      if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
      if a.sequence != b.sequence { return a.sequence < b.sequence }
      return a.rank < b.rank
    }
  }

  /// Returns whether an event precedes another.
  ///
  /// - Parameters:
  ///   - idOrder: Returns whether the first event's ID precedes the other's, or `nil` if they are equal. Called
  ///     only if the moments are equal.
  ///   - namePrecedes: Returns whether the first event's name precedes the other's. Called only if the IDs are
  ///     equal too.
  /// - Throws: The error of a closure.
  @inline(__always)
  package static func precedes<Failure: Error>(
    _ a: Moment, _ b: Moment, idOrder: () throws(Failure) -> Bool?, namePrecedes: () throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    guard a == b else { return a < b }
    if let order = try idOrder() { return order }
    return try namePrecedes()
  }
}
