internal import FunnelModel

/// The columns of an event sequence, in memory that a ``SequenceBuffer`` owns.
package struct SequenceColumns: BitwiseCopyable {
  /// The event class IDs.
  package let kinds: UnsafeMutablePointer<UInt32>
  /// The times in milliseconds since the epoch.
  package let times: UnsafeMutablePointer<Int64>
  /// The hashes of the attempts.
  package let attempts: UnsafeMutablePointer<UInt64>
  /// The rows of the segment table.
  package let rows: UnsafeMutablePointer<UInt32>
  /// The `seq` of each event, or 0.
  package let sequences: UnsafeMutablePointer<Int64>
  /// The dictionary codes of `ctx`.
  package let context: UnsafeMutablePointer<UInt32>
  /// The dictionary codes of `props`.
  package let props: UnsafeMutablePointer<UInt32>
  /// The index of the first measurement of each event (``EventMeasurements``).
  package let measurements: UnsafeMutablePointer<UInt32>

  /// Returns the columns without their first `start` events.
  @inline(__always)
  func from(_ start: Int) -> SequenceColumns {
    SequenceColumns(
      kinds: kinds + start, times: times + start, attempts: attempts + start, rows: rows + start, sequences: sequences + start,
      context: context + start, props: props + start, measurements: measurements + start)
  }
}

/// The memory for the columns of one event sequence. Each partition being read has one buffer, reused for every
/// subject.
package struct SequenceBuffer: ~Copyable {
  /// The columns, valid as long as the buffer.
  package let columns: SequenceColumns

  /// Allocates a buffer for up to `capacity` events.
  package init(capacity: Int) {
    let capacity = max(capacity, 1)
    columns = SequenceColumns(
      kinds: .allocate(capacity: capacity), times: .allocate(capacity: capacity), attempts: .allocate(capacity: capacity),
      rows: .allocate(capacity: capacity), sequences: .allocate(capacity: capacity), context: .allocate(capacity: capacity),
      props: .allocate(capacity: capacity), measurements: .allocate(capacity: capacity))
  }

  deinit {
    columns.kinds.deallocate()
    columns.times.deallocate()
    columns.attempts.deallocate()
    columns.rows.deallocate()
    columns.sequences.deallocate()
    columns.context.deallocate()
    columns.props.deallocate()
    columns.measurements.deallocate()
  }
}

extension SequenceColumns {
  /// Sorts events with equal time and seq by the rank of their event class, in current (``EventOrder``).
  ///
  /// - Parameters:
  ///   - range: The events to sort. They must be in the order of time, seq, ID and name.
  ///   - ranks: The rank of each event class ID.
  package func sortTies(_ range: Range<Int>, ranks: UnsafePointer<UInt32>) {
    // A stable insertion sort within each tie suffices.
    var index = range.lowerBound &+ 1
    while index < range.upperBound {
      var current = index
      while current > range.lowerBound, times[current &- 1] == times[current], sequences[current &- 1] == sequences[current],
        ranks[Int(kinds[current])] < ranks[Int(kinds[current &- 1])]
      {
        swap(current &- 1, current)
        current &-= 1
      }
      index &+= 1
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    (kinds[a], kinds[b]) = (kinds[b], kinds[a])
    (attempts[a], attempts[b]) = (attempts[b], attempts[a])
    (rows[a], rows[b]) = (rows[b], rows[a])
    (measurements[a], measurements[b]) = (measurements[b], measurements[a])
  }
}
