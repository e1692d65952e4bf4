import FunnelDecoding
import FunnelIndex
import FunnelModel
import FunnelSystem

/// The rows of one partition, grouped by subject, with access to their other columns.
struct GroupedRows: ~Copyable {
  /// The fields of a row that sorting needs.
  struct Entry: BitwiseCopyable {
    var milliseconds: Int64
    /// The event's identity hash. After deduplication, in a partition with compound event classes: the index of this event
    /// among the events of its row.
    var identity: UInt64
    /// The match set ID plus one, or 0 for an event without flow matches. ``SequenceSorter`` replaces it by the event
    /// class ID plus one.
    var matchListID: UInt32
    /// The index of the row in the partition, which locates its other columns.
    var row: UInt32
  }

  /// The columns of the rows.
  let columns: RowColumns
  /// Whether a field of some row did not fit and the column of details is not loaded.
  let lacksDetails: Bool
  /// The chunks in row order; empty if no column besides the rows and event names is needed.
  let chunks: [RowChunk]
  /// The event name ID of each row, by row index.
  private let eventNames: [UInt16]
  /// The hash of each subject; empty without the column of users.
  private let subjectKeys: [Hash128]
  /// The entries of all rows, grouped by subject. Those of one subject are in the order of arrival.
  private let entries: UniqueArray<Entry>
  /// The index after each subject's last entry.
  private let ends: [UInt32]

  /// Reads a partition and groups its rows by subject in a counting sort.
  ///
  /// - Throws: The error of the spill file.
  init(_ partition: SequencePartition, columns: RowColumns, spillFile: SpillFile) throws(FunnelError) {
    let rowCount = partition.rowCount
    var nextEntries: [UInt32] = []
    nextEntries.reserveCapacity(partition.subjects.count)
    var total: UInt32 = 0
    for subject in 0..<partition.subjects.count {
      nextEntries.append(total)
      total += partition.subjects.eventCount(of: subject)
    }
    precondition(Int(total) == rowCount, "a partition has other rows than it counted")
    var storage = UniqueArray<Entry>(capacity: rowCount)
    let entries = storage.appendUninitialized(rowCount)
    var row: UInt32 = 0
    var chunks: [RowChunk] = []
    let keepsChunks = columns.attempts || columns.dimensions || columns.users || columns.details
    let hasDetails = columns.details
    var needsDetails = false
    var eventNames: [UInt16] = []
    try partition.forEachChunk(spillFile) { chunk in
      var nextEntries = nextEntries.mutableSpan
      for index in 0..<chunk.count {
        let stored = chunk.row(index)
        needsDetails = needsDetails || stored.needsDetail
        let target = Int(nextEntries[Int(stored.subject)])
        nextEntries[Int(stored.subject)] &+= 1
        entries[target] = Entry(
          milliseconds: hasDetails ? chunk.detail(of: index).milliseconds : stored.milliseconds, identity: stored.identity,
          matchListID: hasDetails ? chunk.detail(of: index).matchListID : UInt32(stored.matchListID), row: row)
        row &+= 1
      }
      eventNames += chunk.eventNameIDs
      if keepsChunks {
        // The next chunk's row indices begin at a multiple of the capacity, even after a chunk that is not full.
        row = (row &+ UInt32(RowChunk.capacity - 1)) / UInt32(RowChunk.capacity) &* UInt32(RowChunk.capacity)
        eventNames += repeatElement(0, count: Int(row) - eventNames.count)
        chunks.append(chunk)
      }
    }
    self.columns = columns
    self.lacksDetails = needsDetails && !hasDetails
    self.chunks = chunks
    self.eventNames = eventNames
    subjectKeys = columns.users ? (0..<partition.subjects.count).map { partition.subjects.key(of: $0) } : []
    self.entries = storage
    // Each subject's next entry is now the first one of the subject after it.
    ends = nextEntries
  }

  /// The number of subjects.
  var subjectCount: Int { ends.count }

  /// Returns the hash of a subject. Requires the column of users.
  func key(ofSubject subject: Int) -> Hash128 { subjectKeys[subject] }

  /// The largest number of rows of one subject.
  var largestCount: Int { (0..<subjectCount).reduce(0) { max($0, range(ofSubject: $1).count) } }

  /// Returns the entries of a subject. The caller may change them.
  @inline(__always)
  func entries(ofSubject subject: Int) -> MutableColumn<Entry> { entries.mutableElements[range(ofSubject: subject)] }

  @inline(__always)
  private func range(ofSubject subject: Int) -> Range<Int> {
    (subject == 0 ? 0 : Int(ends[subject - 1]))..<Int(ends[subject])
  }

  /// Returns the event name ID of an entry.
  func eventName(of entry: Entry) -> UInt16 { eventNames[Int(entry.row)] }

  /// Returns the chunk that holds an entry's row. Requires a column besides the rows and event names.
  @inline(__always)
  private func chunk(of entry: Entry) -> RowChunk { chunks[Int(entry.row) / RowChunk.capacity] }

  /// Returns the index of an entry's dimension row. Requires the column of dimensions.
  @inline(__always)
  func dimensions(of entry: Entry) -> UInt32 { chunk(of: entry).dimensions(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the shared number of an entry's user, or 0 if it has none. Requires the column of users.
  @inline(__always)
  func user(of entry: Entry) -> UInt32 { chunk(of: entry).user(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the attempt hash of an entry. Requires the column of attempts.
  @inline(__always)
  func attempt(of entry: Entry) -> UInt64 { chunk(of: entry).attempt(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the details of an entry. Requires the column of details.
  func detail(of entry: Entry) -> RowDetail { chunk(of: entry).detail(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the event ID of an entry. Requires the column of details.
  func id(of entry: Entry) -> BorrowedBytes {
    let detail = detail(of: entry)
    return chunk(of: entry).text(at: Int(detail.text), count: Int(detail.idByteCount))
  }

  /// Returns the event name of an entry as text. Requires the column of details.
  func name(of entry: Entry) -> BorrowedBytes {
    let detail = detail(of: entry)
    return chunk(of: entry).text(at: detail.nameStart, count: Int(detail.nameByteCount))
  }

  /// Returns the subject of an entry. Requires the column of names.
  func subject(of entry: Entry) -> BorrowedBytes {
    let detail = detail(of: entry)
    return chunk(of: entry).text(at: detail.subjectStart, count: Int(detail.subjectByteCount))
  }

  /// Returns the attempt of an entry, or `nil` if it has none. Requires the column of names.
  func attemptText(of entry: Entry) -> BorrowedBytes? {
    let detail = detail(of: entry)
    guard detail.hasAttempt else { return nil }
    return chunk(of: entry).text(at: detail.attemptStart, count: Int(detail.attemptByteCount))
  }

  /// Returns the canonical record of an entry. Requires the column of records.
  func record(of entry: Entry) -> BorrowedBytes {
    let detail = detail(of: entry)
    return chunk(of: entry).text(at: detail.recordStart, count: Int(detail.recordByteCount))
  }
}
