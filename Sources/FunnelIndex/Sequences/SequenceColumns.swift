/// The columns of an event sequence, in memory that a ``SequenceBuffer`` owns.
struct SequenceColumns: BitwiseCopyable {
  /// The event class IDs.
  let classIDs: MutableColumn<UInt32>
  /// The times in milliseconds since the epoch.
  let times: MutableColumn<Int64>
  /// The hashes of the attempts.
  let attempts: MutableColumn<UInt64>
  /// The rows of the segment table.
  let rows: MutableColumn<UInt32>
  /// The `seq` of each event, or 0.
  let sequences: MutableColumn<Int64>
  /// The dictionary codes of `ctx`.
  let context: MutableColumn<UInt32>
  /// The dictionary codes of `props`.
  let props: MutableColumn<UInt32>
  /// The index of the first measurement of each event (``EventMeasurements``).
  let measurements: MutableColumn<UInt32>

  /// Returns the columns without their first `start` events.
  @inline(__always)
  func from(_ start: Int) -> SequenceColumns {
    SequenceColumns(
      classIDs: classIDs.from(start), times: times.from(start), attempts: attempts.from(start), rows: rows.from(start),
      sequences: sequences.from(start), context: context.from(start), props: props.from(start),
      measurements: measurements.from(start))
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
    (measurements[a], measurements[b]) = (measurements[b], measurements[a])
  }
}

/// The memory for the columns of one event sequence. Each partition being read has one buffer, reused for every
/// subject.
struct SequenceBuffer: ~Copyable {
  private var numbers: UniqueArray<UInt32>
  private var words: UniqueArray<UInt64>
  private var times: UniqueArray<Int64>
  /// The columns, valid as long as the buffer.
  let columns: SequenceColumns

  /// Allocates a buffer for up to `capacity` events.
  init(capacity: Int) {
    let count = max(capacity, 1)
    numbers = UniqueArray(capacity: 5 * count)
    words = UniqueArray(capacity: count)
    times = UniqueArray(capacity: 2 * count)
    let numberColumn = numbers.appendUninitialized(5 * count)
    let timeColumn = times.appendUninitialized(2 * count)
    func column(_ index: Int) -> MutableColumn<UInt32> { numberColumn[index * count..<(index + 1) * count] }
    columns = SequenceColumns(
      classIDs: column(0), times: timeColumn[0..<count], attempts: words.appendUninitialized(count), rows: column(1),
      sequences: timeColumn[count..<2 * count], context: column(2), props: column(3), measurements: column(4))
  }
}
