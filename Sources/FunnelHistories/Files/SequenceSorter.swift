internal import FunnelIndex
import FunnelSystem
import FunnelIngest
import FunnelModel

/// Sorts the rows of one partition into event sequences, one for each subject.
///
/// Call ``sort(_:spillFile:)``, then ``forEachSequence(_:)``, once each. Not thread-safe: each thread uses its own sorter.
struct SequenceSorter: ~Copyable {
  /// The fields of a row that sorting needs.
  struct Entry {
    var milliseconds: Int64
    /// The event's identity hash. After deduplication, in a partition with compound event classes: the index of this event
    /// among the events of its row.
    var identity: UInt64
    /// The match set ID plus one, or 0 for an event without flow matches. ``orderParts(of:into:)`` replaces it by the
    /// event class ID plus one.
    var meaning: UInt32
    /// The index of the row in the partition, which locates its other columns.
    var place: UInt32
  }

  /// The result of deduplicating a partition.
  struct Deduplicated: Sendable {
    /// The number of duplicates by event name ID.
    var duplicates: [UInt16: Int] = [:]
    /// The times of the first and the last event that was kept, or `nil` if there are no events.
    var times: ClosedRange<Int64>?
  }

  // An insertion sort is faster than a library sort for few rows, because logs are nearly in order.
  private static let insertionSortCountMax = 64

  let columns: RowColumns
  private let now: Int64
  let kinds: EventClassTable
  /// The event class ID of each match set, by match set ID.
  private let classIDs: [UInt32]
  /// Whether every match set ID equals its event class ID, so no event class is compound.
  private let areIDsEqual: Bool
  /// The rank of each event class among events with the same time and `seq`, by event class ID.
  let tieRanks: [Int]
  private let changedRow: (UInt32, [String: PropertyValue]) -> UInt32
  /// A cache of the results of `changedRow`; the key is the event class ID (upper half) and the row.
  private var changedRows: [UInt64: UInt32] = [:]
  /// Scratch memory for the entries of a subject in which compound event classes are expanded.
  private var expanded: [Entry] = []
  private let rowCount: Int
  /// The entries of all rows, grouped by subject after ``sort(_:spillFile:)``.
  let entries: UnsafeMutablePointer<Entry>
  /// The index after each subject's last entry.
  private var ends: UnsafeMutableBufferPointer<UInt32>
  /// Whether a field of some row did not fit and the column of details is not loaded.
  private var lacksDetails = false
  /// The chunks in row order; empty if no column besides the rows and event names is needed.
  private var chunks: [RowChunk] = []
  /// The event name ID of each row, by row index.
  private(set) var eventNames: [UInt16] = []
  /// The result of deduplicating the subjects so far.
  var deduplicated = Deduplicated()
  /// The texts of the current event sequence, or `nil` unless the query needs names.
  private let names: SortedNames?

  /// Creates a sorter for a partition of `rowCount` rows.
  ///
  /// - Parameters:
  ///   - now: The time after which events are skipped, in milliseconds since the epoch.
  ///   - meanings: The table of event classes that the rows' match set IDs refer to.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  ///   - changedRow: Returns the dimension row that equals a given one except for the given property values.
  init(
    columns: RowColumns, now: Int64, meanings: SharedEventClassTable.Contents, stepCounts: [Int], rowCount: Int,
    changedRow: @escaping (UInt32, [String: PropertyValue]) -> UInt32
  ) {
    self.columns = columns
    self.now = now
    kinds = meanings.kinds
    classIDs = meanings.codes
    areIDsEqual = meanings.codes.enumerated().allSatisfy { $0 == Int($1) }
    self.changedRow = changedRow
    names = columns.names ? SortedNames() : nil
    tieRanks = kinds.entries.map { $0.kind.tieRank(stepCount: stepCounts[Int($0.flow)]) }
    self.rowCount = rowCount
    entries = .allocate(capacity: max(rowCount, 1))
    ends = .allocate(capacity: 0)
  }

  deinit {
    entries.deallocate()
    ends.deallocate()
  }

  /// Whether columns besides the rows and event names are read after sorting.
  private var keepsChunks: Bool { columns.attempts || columns.dimensions || columns.details }

  /// Reads a partition and groups its rows by subject in a counting sort, which keeps each subject's rows in arrival order.
  ///
  /// - Throws: The error of the spill file.
  mutating func sort(_ partition: SequencePartition, spillFile: SpillFile) throws(FunnelError) {
    let subjectCount = partition.subjects.count
    ends.deallocate()
    ends = .allocate(capacity: subjectCount)
    var total: UInt32 = 0
    for subject in 0..<subjectCount {
      ends[subject] = total
      total += partition.subjects.eventCount(of: subject)
    }
    precondition(Int(total) == rowCount, "a partition has other rows than it counted")
    let entries = entries
    let ends = ends.baseAddress
    var place: UInt32 = 0
    var kept: [RowChunk] = []
    let keepsChunks = keepsChunks
    let hasDetails = columns.details
    var lacksDetails = false
    var eventNames: [UInt16] = []
    try partition.forEachChunk(spillFile) { chunk in
      guard let ends else { return }
      let rows = chunk.rows
      for index in 0..<chunk.count {
        let row = CompactRow(at: rows + index &* CompactRow.byteCount)
        lacksDetails = lacksDetails || row.needsDetail
        let target = Int(ends[Int(row.subject)])
        ends[Int(row.subject)] &+= 1
        entries[target] = Entry(
          milliseconds: hasDetails ? chunk.details[index].milliseconds : row.milliseconds, identity: row.identity,
          meaning: hasDetails ? chunk.details[index].meaning : UInt32(row.meaning), place: place)
        place &+= 1
      }
      eventNames += UnsafeBufferPointer(start: chunk.eventNames, count: chunk.count)
      if keepsChunks {
        // The next chunk's row indices begin at a multiple of the capacity, even after a chunk that is not full.
        place = (place &+ UInt32(RowChunk.capacity - 1)) / UInt32(RowChunk.capacity) &* UInt32(RowChunk.capacity)
        eventNames += repeatElement(0, count: Int(place) - eventNames.count)
        kept.append(chunk)
      }
    }
    self.eventNames = eventNames
    chunks = kept
    names?.chunks = kept
    self.lacksDetails = lacksDetails && !hasDetails
  }

  /// Calls `body` with the event sequence of each subject that has events with flow matches.
  ///
  /// - Returns: `false` if the order of events depends on columns that are not loaded. The caller must then discard
  ///   all sequences.
  /// - Throws: The error of `body`.
  mutating func forEachSequence(_ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError) -> Bool {
    guard !lacksDetails else { return false }
    var largest = 0
    for subject in 0..<ends.count { largest = max(largest, Int(ends[subject] &- (subject == 0 ? 0 : ends[subject - 1]))) }
    let output = SequenceBuffer(capacity: largest * kinds.partsMax)
    var start = 0
    var earliest = Int64.max
    var latest = Int64.min
    for subject in 0..<ends.count {
      let end = Int(ends[subject])
      defer { start = end }
      let slice = UnsafeMutableBufferPointer(start: entries + start, count: end - start)
      Self.sortByTime(slice)
      var count = slice.count
      if Self.hasDuplicate(slice) {
        guard let keptCount = removeDuplicates(slice) else { return false }
        count = keptCount
      }
      if count > 0 {
        earliest = min(earliest, slice[0].milliseconds)
        latest = max(latest, slice[count &- 1].milliseconds)
      }
      guard let eventCount = order(UnsafeMutableBufferPointer(rebasing: slice[..<count]), into: output.columns) else {
        return false
      }
      guard eventCount > 0 else { continue }
      try body(
        EventSequence(
          count: eventCount, kinds: UnsafePointer(output.columns.kinds), times: UnsafePointer(output.columns.times),
          attempts: columns.attempts ? UnsafePointer(output.columns.attempts) : nil,
          rows: columns.dimensions ? UnsafePointer(output.columns.rows) : nil, names: names))
    }
    if earliest <= latest { deduplicated.times = earliest...latest }
    return true
  }

  /// Writes a subject's events that have flow matches, in order.
  ///
  /// - Returns: The number of events written, or `nil` if the order depends on columns that are not loaded.
  @inline(__always)
  mutating func order(_ entries: UnsafeMutableBufferPointer<Entry>, into output: SequenceColumns) -> Int? {
    if areIDsEqual { return orderTies(entries) ? write(entries, to: output) : nil }
    return orderParts(of: entries, into: output)
  }

  /// Replaces match set IDs by event class IDs, one entry for each part of a compound class, then orders and writes
  /// the entries.
  private mutating func orderParts(of entries: UnsafeMutableBufferPointer<Entry>, into output: SequenceColumns) -> Int? {
    // The swap gives this function unique ownership of the scratch array while it mutates `self`.
    var expanded: [Entry] = []
    swap(&expanded, &self.expanded)
    defer { swap(&expanded, &self.expanded) }
    expanded.removeAll(keepingCapacity: true)
    for var entry in entries where entry.meaning != 0 {
      let classID = classIDs[Int(entry.meaning) - 1]
      entry.identity = 0
      for partID in EventClassTable.isCompound(classID) ? kinds.parts(of: classID) : [classID] {
        entry.meaning = partID + 1
        expanded.append(entry)
        entry.identity += 1
      }
    }
    return expanded.withUnsafeMutableBufferPointer { orderTies($0) ? write($0, to: output) : nil }
  }

  /// Writes the entries that have flow matches and are not after `now`. Returns their count.
  @inline(__always)
  private mutating func write(_ entries: UnsafeMutableBufferPointer<Entry>, to output: SequenceColumns) -> Int {
    var count = 0
    names?.places.removeAll(keepingCapacity: true)
    for entry in entries where entry.meaning != 0 && entry.milliseconds <= now {
      names?.places.append(entry.place)
      output.kinds[count] = entry.meaning &- 1
      output.times[count] = entry.milliseconds
      if columns.attempts { output.attempts[count] = chunk(of: entry).attempt(of: place(of: entry)) }
      if columns.dimensions { output.rows[count] = row(of: entry) }
      count &+= 1
    }
    return count
  }

  /// Returns the index of an entry's dimension row, with the property values that the entry's flow version changes.
  @inline(__always)
  mutating func row(of entry: Entry) -> UInt32 {
    let logged = chunk(of: entry).dimensions[place(of: entry)]
    return kinds.changedProps.isEmpty ? logged : changedRow(of: entry.meaning &- 1, logged)
  }

  private mutating func changedRow(of classID: UInt32, _ row: UInt32) -> UInt32 {
    guard let props = kinds.changedProps[classID] else { return row }
    let key = UInt64(classID) << 32 | UInt64(row)
    if let known = changedRows[key] { return known }
    let changed = changedRow(row, props)
    changedRows[key] = changed
    return changed
  }

  /// Returns the chunk that holds an entry's row.
  @inline(__always)
  func chunk(of entry: Entry) -> RowChunk { chunks[Int(entry.place) / RowChunk.capacity] }

  /// Returns the index of an entry's row in its chunk.
  @inline(__always)
  func place(of entry: Entry) -> Int { Int(entry.place) % RowChunk.capacity }

  /// Sorts entries by time.
  @inline(__always)
  private static func sortByTime(_ entries: UnsafeMutableBufferPointer<Entry>) {
    guard entries.count <= insertionSortCountMax else { return sortManyByTime(entries) }
    var index = 1
    while index < entries.count {
      let entry = entries[index]
      var target = index
      while target > 0, entries[target &- 1].milliseconds > entry.milliseconds {
        entries[target] = entries[target &- 1]
        target &-= 1
      }
      entries[target] = entry
      index &+= 1
    }
  }

  private static func sortManyByTime(_ entries: UnsafeMutableBufferPointer<Entry>) {
    var entries = entries
    entries.sort { $0.milliseconds < $1.milliseconds }
  }
}
