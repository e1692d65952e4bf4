import FunnelIndex
import FunnelDecoding

/// The memory that reading threads fill and sorters read, with checked access.
///
/// **Invariants** of this file:
///
/// - The first ``StagedRows/count`` rows of a buffer are initialized, and its details too if the columns have details.
/// - All entries of an ``EntryStorage`` that are read have been set by the counting sort, which sets each once.
/// - Views (``EntrySlice``) do not outlive the storage from which they were made.

/// A worker's buffer of rows for one partition, which are added to the partition in one batch to take its lock rarely.
struct StagedRows: ~Copyable {
  /// The largest number of rows.
  static let capacity = 64
  /// The number of bytes of text above which the rows are flushed, even if the buffer has room for more rows.
  static let textBytesTarget = 64 << 10

  private let rows = UnsafeMutablePointer<EventRow>.allocate(capacity: capacity)
  private let details = UnsafeMutablePointer<EventRowDetail>.allocate(capacity: capacity)
  /// The texts that the details refer to.
  private(set) var texts: [UInt8] = []
  /// The number of rows.
  private(set) var count = 0

  deinit {
    rows.deallocate()
    details.deallocate()
  }

  /// Whether the rows are to be flushed.
  @inline(__always)
  var isFull: Bool { count == Self.capacity || texts.count > Self.textBytesTarget }

  /// Returns a row.
  @inline(__always)
  subscript(index: Int) -> EventRow {
    assert(index >= 0 && index < count, "a row was appended before it is read")
    return rows[index]
  }

  /// Returns the details of a row. Requires `RowColumns.details`.
  func detail(of index: Int) -> EventRowDetail {
    precondition(index >= 0 && index < count, "a row was appended before its details are read")
    return details[index]
  }

  /// Appends a row.
  @inline(__always)
  mutating func append(_ row: EventRow) {
    assert(count < Self.capacity, "a full buffer is flushed")
    rows[count] = row
    count &+= 1
  }

  /// Sets the details of the last row, and appends its texts.
  mutating func setDetail(_ detail: EventRowDetail, texts source: ArraySlice<UInt8>) {
    precondition(count > 0, "details follow their row")
    var detail = detail
    detail.text = texts.count
    texts.append(contentsOf: source)
    details[count - 1] = detail
  }

  /// Removes all rows.
  mutating func removeAll() {
    count = 0
    // Storage that grew for a long record is freed. Otherwise it would remain in every partition.
    texts.removeAll(keepingCapacity: texts.capacity <= 2 * Self.textBytesTarget)
  }
}

/// The buffers of a worker, one for each partition.
struct StagedPartitions: ~Copyable {
  private let buffers: UnsafeMutablePointer<StagedRows>
  /// The number of partitions.
  let count: Int

  init(count: Int) {
    precondition(count > 0, "a table has partitions")
    self.count = count
    buffers = .allocate(capacity: count)
    for partition in 0..<count { (buffers + partition).initialize(to: StagedRows()) }
  }

  deinit {
    buffers.deinitialize(count: count)
    buffers.deallocate()
  }

  /// Accesses the buffer of a partition in place.
  @inline(__always)
  subscript(partition: Int) -> StagedRows {
    unsafeAddress {
      assert(partition >= 0 && partition < count, "each partition has a buffer")
      return UnsafePointer(buffers + partition)
    }
    unsafeMutableAddress {
      assert(partition >= 0 && partition < count, "each partition has a buffer")
      return buffers + partition
    }
  }
}

/// Some entries of a partition, in the memory of an ``EntryStorage`` or an array.
struct EntrySlice {
  typealias Entry = SequenceSorter.Entry

  private let base: UnsafeMutablePointer<Entry>
  /// The number of entries.
  let count: Int

  @inline(__always)
  fileprivate init(base: UnsafeMutablePointer<Entry>, count: Int) {
    self.base = base
    self.count = count
  }

  /// Accesses an entry.
  @inline(__always)
  subscript(index: Int) -> Entry {
    get {
      assert(index >= 0 && index < count, "an index is less than the number of entries")
      return base[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count, "an index is less than the number of entries")
      base[index] = newValue
    }
  }

  /// Returns the entries of a range.
  @inline(__always)
  subscript(range: Range<Int>) -> EntrySlice {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a part is within its entries")
    return EntrySlice(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Sorts the entries with the standard library's sort.
  func sort(by precedes: (Entry, Entry) -> Bool) {
    var entries = UnsafeMutableBufferPointer(start: base, count: count)
    entries.sort(by: precedes)
  }

  /// Calls `body` with the entries of an array, which it may change.
  @inline(__always)
  static func with<Result>(_ entries: inout [Entry], _ body: (EntrySlice) -> Result) -> Result {
    entries.withUnsafeMutableBufferPointer { entries in
      guard let base = entries.baseAddress else { return body(.empty) }
      return body(EntrySlice(base: base, count: entries.count))
    }
  }

  // The address is arbitrary: nothing is read from it.
  private static var empty: EntrySlice {
    EntrySlice(base: UnsafeMutablePointer(bitPattern: MemoryLayout<Entry>.alignment).unsafelyUnwrapped, count: 0)
  }
}

/// The entries of a partition.
struct EntryStorage: ~Copyable {
  private let base: UnsafeMutablePointer<EntrySlice.Entry>
  private let count: Int

  /// Allocates memory for `count` entries.
  init(count: Int) {
    precondition(count >= 0, "a count is not negative")
    self.count = count
    base = .allocate(capacity: max(count, 1))
  }

  deinit { base.deallocate() }

  /// All entries.
  @inline(__always)
  var entries: EntrySlice { EntrySlice(base: base, count: count) }
}

/// The columns of one event sequence, reused for every subject of a partition.
struct SequenceOutput: ~Copyable {
  private let classIDs: UnsafeMutablePointer<UInt32>
  private let times: UnsafeMutablePointer<Int64>
  private let attempts: UnsafeMutablePointer<UInt64>
  private let rows: UnsafeMutablePointer<UInt32>
  private let capacity: Int
  /// The number of events.
  private(set) var count = 0

  /// Allocates memory for up to `capacity` events.
  init(capacity: Int) {
    precondition(capacity >= 0, "a capacity is not negative")
    self.capacity = capacity
    classIDs = .allocate(capacity: max(capacity, 1))
    times = .allocate(capacity: max(capacity, 1))
    attempts = .allocate(capacity: max(capacity, 1))
    rows = .allocate(capacity: max(capacity, 1))
  }

  deinit {
    classIDs.deallocate()
    times.deallocate()
    attempts.deallocate()
    rows.deallocate()
  }

  /// Removes all events.
  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Appends an event.
  @inline(__always)
  mutating func append(classID: UInt32, milliseconds: Int64, attempt: UInt64, row: UInt32) {
    assert(count < capacity, "a subject has no more events than the largest one")
    classIDs[count] = classID
    times[count] = milliseconds
    attempts[count] = attempt
    rows[count] = row
    count &+= 1
  }

  /// Returns the event sequence, which is valid until the next change.
  func sequence(hasAttempts: Bool, hasRows: Bool, names: SortedNames?) -> EventSequence {
    EventSequence(
      count: count, classIDs: classIDs, times: times, attempts: hasAttempts ? UnsafePointer(attempts) : nil,
      rows: hasRows ? UnsafePointer(rows) : nil, names: names)
  }
}
