internal import FunnelIndex
import FunnelSystem
import FunnelDecoding
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
    var matchListID: UInt32
    /// The index of the row in the partition, which locates its other columns.
    var row: UInt32
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
  let eventClasses: EventClassTable
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
  private let storage: EntryStorage
  /// The index after each subject's last entry.
  private var ends: [UInt32] = []
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
  ///   - flowMatchLists: The table of event classes that the rows' match set IDs refer to.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  ///   - changedRow: Returns the dimension row that equals a given one except for the given property values.
  init(
    columns: RowColumns, now: Int64, flowMatchLists: SharedEventClassTable.Contents, stepCounts: [Int], rowCount: Int,
    changedRow: @escaping (UInt32, [String: PropertyValue]) -> UInt32
  ) {
    self.columns = columns
    self.now = now
    eventClasses = flowMatchLists.eventClasses
    classIDs = flowMatchLists.classIDs
    areIDsEqual = flowMatchLists.classIDs.enumerated().allSatisfy { $0 == Int($1) }
    self.changedRow = changedRow
    names = columns.names ? SortedNames() : nil
    tieRanks = eventClasses.entries.map { $0.kind.tieRank(stepCount: stepCounts[Int($0.flow)]) }
    self.rowCount = rowCount
    storage = EntryStorage(count: rowCount)
  }

  /// Whether columns besides the rows and event names are read after sorting.
  private var keepsChunks: Bool { columns.attempts || columns.dimensions || columns.details }

  /// Reads a partition and groups its rows by subject in a counting sort, which keeps each subject's rows in arrival order.
  ///
  /// - Throws: The error of the spill file.
  mutating func sort(_ partition: SequencePartition, spillFile: SpillFile) throws(FunnelError) {
    let subjectCount = partition.subjects.count
    var nextEntries: [UInt32] = []
    nextEntries.reserveCapacity(subjectCount)
    var total: UInt32 = 0
    for subject in 0..<subjectCount {
      nextEntries.append(total)
      total += partition.subjects.eventCount(of: subject)
    }
    precondition(Int(total) == rowCount, "a partition has other rows than it counted")
    let entries = storage.entries
    var row: UInt32 = 0
    var kept: [RowChunk] = []
    let keepsChunks = keepsChunks
    let hasDetails = columns.details
    var lacksDetails = false
    var eventNames: [UInt16] = []
    try partition.forEachChunk(spillFile) { chunk in
      var ends = nextEntries.mutableSpan
      for index in 0..<chunk.count {
        let stored = chunk.row(index)
        lacksDetails = lacksDetails || stored.needsDetail
        let target = Int(ends[Int(stored.subject)])
        ends[Int(stored.subject)] &+= 1
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
        kept.append(chunk)
      }
    }
    ends = nextEntries
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
    var output = SequenceOutput(capacity: largest * eventClasses.partsMax)
    var start = 0
    var earliest = Int64.max
    var latest = Int64.min
    for subject in 0..<ends.count {
      let end = Int(ends[subject])
      defer { start = end }
      let slice = storage.entries[start..<end]
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
      guard order(slice[0..<count], into: &output) else { return false }
      guard output.count > 0 else { continue }
      try body(output.sequence(hasAttempts: columns.attempts, hasRows: columns.dimensions, names: names))
    }
    if earliest <= latest { deduplicated.times = earliest...latest }
    return true
  }

  /// Writes a subject's events that have flow matches, in order.
  ///
  /// - Returns: `false` if the order depends on columns that are not loaded.
  @inline(__always)
  private mutating func order(_ entries: EntrySlice, into output: inout SequenceOutput) -> Bool {
    guard areIDsEqual else { return orderParts(of: entries, into: &output) }
    guard orderTies(entries) else { return false }
    write(entries, to: &output)
    return true
  }

  /// Replaces match set IDs by event class IDs, one entry for each part of a compound class, then orders and writes
  /// the entries.
  private mutating func orderParts(of entries: EntrySlice, into output: inout SequenceOutput) -> Bool {
    // The swap gives this function unique ownership of the scratch array while it mutates `self`.
    var expanded: [Entry] = []
    swap(&expanded, &self.expanded)
    defer { swap(&expanded, &self.expanded) }
    expanded.removeAll(keepingCapacity: true)
    for index in 0..<entries.count where entries[index].matchListID != 0 {
      var entry = entries[index]
      let classID = classIDs[Int(entry.matchListID) - 1]
      entry.identity = 0
      for partID in EventClassTable.isCompound(classID) ? eventClasses.parts(of: classID) : [classID] {
        entry.matchListID = partID + 1
        expanded.append(entry)
        entry.identity += 1
      }
    }
    return EntrySlice.with(&expanded) { entries in
      guard orderTies(entries) else { return false }
      write(entries, to: &output)
      return true
    }
  }

  /// Writes the entries that have flow matches and are not after `now`.
  @inline(__always)
  private mutating func write(_ entries: EntrySlice, to output: inout SequenceOutput) {
    output.removeAll()
    names?.rowIndices.removeAll(keepingCapacity: true)
    for index in 0..<entries.count {
      let entry = entries[index]
      guard entry.matchListID != 0, entry.milliseconds <= now else { continue }
      names?.rowIndices.append(entry.row)
      output.append(
        classID: entry.matchListID &- 1, milliseconds: entry.milliseconds, attempt: columns.attempts ? attempt(of: entry) : 0,
        row: columns.dimensions ? changedDimensions(of: entry) : 0)
    }
  }

  /// Returns the index of an entry's dimension row, with the property values that the entry's flow version changes.
  @inline(__always)
  private mutating func changedDimensions(of entry: Entry) -> UInt32 {
    let logged = dimensions(of: entry)
    return eventClasses.changedProps.isEmpty ? logged : changedRow(of: entry.matchListID &- 1, logged)
  }

  private mutating func changedRow(of classID: UInt32, _ row: UInt32) -> UInt32 {
    guard let props = eventClasses.changedProps[classID] else { return row }
    let key = UInt64(classID) << 32 | UInt64(row)
    if let known = changedRows[key] { return known }
    let changed = changedRow(row, props)
    changedRows[key] = changed
    return changed
  }

  /// Returns the chunk that holds an entry's row.
  @inline(__always)
  func chunk(of entry: Entry) -> RowChunk { chunks[Int(entry.row) / RowChunk.capacity] }

  /// Returns the index of an entry's dimension row. Requires the column of dimensions.
  @inline(__always)
  func dimensions(of entry: Entry) -> UInt32 { chunk(of: entry).dimensions(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the attempt hash of an entry.
  @inline(__always)
  func attempt(of entry: Entry) -> UInt64 { chunk(of: entry).attempt(of: Int(entry.row) % RowChunk.capacity) }

  /// Returns the details of an entry. Requires the column of details.
  func detail(of entry: Entry) -> RowDetail { chunk(of: entry).detail(of: Int(entry.row) % RowChunk.capacity) }

  /// Sorts entries by time.
  @inline(__always)
  private static func sortByTime(_ entries: EntrySlice) {
    guard entries.count <= insertionSortCountMax else { return entries.sort { $0.milliseconds < $1.milliseconds } }
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
}

/// The subject and attempt texts of the event sequence that a sorter is producing, read from the chunks of the partition.
///
/// The sorter updates it for each event sequence. Not thread-safe: each sorter owns one.
final class SortedNames: SequenceNames {
  /// The chunks of the partition, in row order.
  var chunks: [RowChunk] = []
  /// The row index of each event of the sequence.
  var rowIndices: [UInt32] = []

  var subject: String {
    let (chunk, detail) = row(ofEvent: 0)
    return chunk.text(at: start(of: detail), count: Int(detail.subjectByteCount)).string
  }

  func attempt(ofEvent index: Int) -> String? {
    let (chunk, detail) = row(ofEvent: index)
    guard detail.hasAttempt else { return nil }
    return chunk.text(at: start(of: detail) + Int(detail.subjectByteCount), count: Int(detail.attemptByteCount)).string
  }

  private func row(ofEvent index: Int) -> (RowChunk, RowDetail) {
    precondition(index >= 0 && index < rowIndices.count, "an event of the sequence has names")
    let row = Int(rowIndices[index])
    let chunk = chunks[row / RowChunk.capacity]
    return (chunk, chunk.detail(of: row % RowChunk.capacity))
  }

  /// Returns the offset of the subject in the chunk's texts, in bytes.
  private func start(of detail: RowDetail) -> Int {
    Int(detail.text) + Int(detail.idByteCount) + Int(detail.nameByteCount) + Int(detail.recordByteCount)
  }
}
