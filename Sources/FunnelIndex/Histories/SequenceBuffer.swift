internal import FunnelModel

/// The columns of a history, in memory that belongs to a ``SequenceBuffer``.
package struct SequenceColumns: BitwiseCopyable {
  package let kinds: UnsafeMutablePointer<UInt32>
  package let times: UnsafeMutablePointer<Int64>
  package let attempts: UnsafeMutablePointer<UInt64>
  package let rows: UnsafeMutablePointer<UInt32>
  package let sequences: UnsafeMutablePointer<Int64>
  /// The codes of the `ctx` contents, before they are translated.
  package let context: UnsafeMutablePointer<UInt32>
  package let props: UnsafeMutablePointer<UInt32>
  /// The index of the first measurement of each event (``EventMeasurements``).
  package let measurements: UnsafeMutablePointer<UInt32>

  /// Returns the columns from an event on.
  @inline(__always)
  func from(_ start: Int) -> SequenceColumns {
    SequenceColumns(
      kinds: kinds + start, times: times + start, attempts: attempts + start, rows: rows + start, sequences: sequences + start,
      context: context + start, props: props + start, measurements: measurements + start)
  }
}

/// The memory for the columns of one history; each partition being read has one buffer, which is reused for every subject.
package struct SequenceBuffer: ~Copyable {
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
  /// Puts events with the same time and seq into the order of specification section 3, which continues with the position of the step
  /// entered.
  ///
  /// Only the events of a range are sorted. They are ordered by time, seq, id and name already, so a stable sort by position within each
  /// tie suffices.
  package func sortTies(_ range: Range<Int>, ranks: UnsafePointer<UInt32>) {
    var index = range.lowerBound &+ 1
    while index < range.upperBound {
      var place = index
      while place > range.lowerBound, times[place &- 1] == times[place], sequences[place &- 1] == sequences[place],
        ranks[Int(kinds[place])] < ranks[Int(kinds[place &- 1])]
      {
        swap(place &- 1, place)
        place &-= 1
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
