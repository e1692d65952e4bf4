/// The columns of an event sequence, in memory that a ``SequenceBuffer`` owns.
package struct SequenceColumns: BitwiseCopyable {
  /// The event class IDs.
  package let classIDs: MutableColumn<UInt32>
  /// The times in milliseconds since the epoch.
  package let times: MutableColumn<Int64>
  /// The hashes of the attempts.
  package let attempts: MutableColumn<UInt64>
  /// The rows of the segment table.
  package let rows: MutableColumn<UInt32>
  /// The `seq` of each event, or 0.
  let sequences: MutableColumn<Int64>
  /// The dictionary codes of `ctx`.
  let context: MutableColumn<UInt32>
  /// The dictionary codes of `props`.
  let props: MutableColumn<UInt32>
  /// The index of the first measurement of each event (``EventMeasurements``).
  let measurementStarts: MutableColumn<UInt32>

  /// Returns the columns without their first `start` events.
  @inline(__always)
  func dropFirst(_ start: Int) -> SequenceColumns {
    SequenceColumns(
      classIDs: classIDs.dropFirst(start), times: times.dropFirst(start), attempts: attempts.dropFirst(start),
      rows: rows.dropFirst(start), sequences: sequences.dropFirst(start), context: context.dropFirst(start),
      props: props.dropFirst(start), measurementStarts: measurementStarts.dropFirst(start))
  }

  /// Returns the sequence of the first `count` events.
  ///
  /// - Parameters:
  ///   - hasAttempts: Whether the column of attempts is set.
  ///   - hasRows: Whether the column of rows is set.
  ///   - measurements: The measurements of all events; `nil` if their column of starts is not set.
  package func sequence(
    ofFirst count: Int, hasAttempts: Bool, hasRows: Bool, measurements: BorrowedColumn<Measurement>? = nil,
    names: (any SequenceNames)?
  ) -> EventSequence {
    EventSequence(
      classIDs: classIDs.elements[0..<count], times: times.elements[0..<count],
      attempts: hasAttempts ? attempts.elements[0..<count] : nil, rows: hasRows ? rows.elements[0..<count] : nil,
      measurements: measurements.map { EventMeasurements(starts: measurementStarts.elements[0..<count], all: $0) },
      names: names)
  }

  /// Sorts events with equal time and seq by the rank of their event class (``EventOrder``).
  ///
  /// - Parameters:
  ///   - range: The events to sort. They must be in the order of time, seq, ID and name.
  ///   - ranks: The rank of each event class ID.
  func sortTies(_ range: Range<Int>, ranks: BorrowedColumn<UInt32>) {
    // A stable insertion sort within each tie suffices.
    assert(range.upperBound <= times.count, "the events are in the buffer")
    var index = range.lowerBound &+ 1
    while index < range.upperBound {
      var current = index
      while current > range.lowerBound, times[current &- 1] == times[current], sequences[current &- 1] == sequences[current],
        ranks[Int(classIDs[current])] < ranks[Int(classIDs[current &- 1])]
      {
        swap(current &- 1, current)
        current &-= 1
      }
      index &+= 1
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    (classIDs[a], classIDs[b]) = (classIDs[b], classIDs[a])
    (attempts[a], attempts[b]) = (attempts[b], attempts[a])
    (rows[a], rows[b]) = (rows[b], rows[a])
    (measurementStarts[a], measurementStarts[b]) = (measurementStarts[b], measurementStarts[a])
  }
}

/// The memory for the columns of one event sequence. Each partition being read has one buffer, reused for every
/// subject.
package struct SequenceBuffer: ~Copyable {
  private var numbers: UniqueArray<UInt32>
  private var words: UniqueArray<UInt64>
  private var times: UniqueArray<Int64>
  /// The columns, valid as long as the buffer.
  package let columns: SequenceColumns

  /// Allocates a buffer for up to `capacity` events.
  package init(capacity: Int) {
    let count = max(capacity, 1)
    numbers = UniqueArray(capacity: 5 * count)
    words = UniqueArray(capacity: count)
    times = UniqueArray(capacity: 2 * count)
    let numberColumn = numbers.appendUninitialized(5 * count)
    let timeColumn = times.appendUninitialized(2 * count)
    func column(_ index: Int) -> MutableColumn<UInt32> { numberColumn[index * count..<(index + 1) * count] }
    columns = SequenceColumns(
      classIDs: column(0), times: timeColumn[0..<count], attempts: words.appendUninitialized(count), rows: column(1),
      sequences: timeColumn[count..<2 * count], context: column(2), props: column(3), measurementStarts: column(4))
  }
}
