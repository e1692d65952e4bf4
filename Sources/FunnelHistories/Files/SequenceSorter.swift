internal import FunnelIndex
import FunnelSystem
import FunnelIngest
import FunnelModel

/// Sorts the rows of one partition into histories. Each thread uses a sorter of its own.
struct SequenceSorter: ~Copyable {
  /// A row that is being sorted into a history.
  struct Entry {
    var milliseconds: Int64
    /// The event's identity hash. After deduplication: the index of this event among the events that one flow reads the row as.
    var identity: UInt64
    /// The meaning's number plus one, later the kind's code plus one; 0 for an event that no journey wants.
    var meaning: UInt32
    /// The row's position among all rows of the partition, which locates its other columns.
    var place: UInt32
  }

  /// What is left of a partition without duplicates.
  struct Deduplicated: Sendable {
    /// The number of duplicates, by the numbers of the events' names.
    var duplicates: [UInt16: Int] = [:]
    /// The times of the first and the last event that is left.
    var times: ClosedRange<Int64>?
  }

  let columns: RowColumns
  private let now: Int64
  let kinds: EventClassTable
  /// The code of each meaning.
  private let codes: [UInt32]
  /// Whether every meaning's number equals its code.
  private let areCodesNumbers: Bool
  let tieRanks: [Int]
  private let changedRow: (UInt32, [String: PropertyValue]) -> UInt32
  private var changedRows: [UInt64: UInt32] = [:]
  /// Scratch space for the rows of a subject, with one entry for each event that a flow reads a row as.
  private var parts: [Entry] = []
  private let rowCount: Int
  let entries: UnsafeMutablePointer<Entry>
  /// The end of each subject's entries.
  private var ends: UnsafeMutableBufferPointer<UInt32>
  /// Whether a field of some row did not fit, and the details that hold it were not kept.
  private var lacksDetails = false
  /// The chunks that hold the further columns, in the order of the positions.
  private var chunks: [RowChunk] = []
  /// The numbers of the events' names, by the positions of the rows.
  private(set) var eventNames: [UInt16] = []
  /// What was left of the histories passed so far.
  var deduplicated = Deduplicated()
  /// The names of the history being passed on; nil if nobody asks.
  private let names: SortedNames?

  /// - Parameters:
  ///   - meanings: The kinds and codes that the rows' meanings refer to.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  ///   - changedRow: Returns the row of dimension values in which some properties have other values.
  init(
    columns: RowColumns, now: Int64, meanings: SharedEventClassTable.Contents, stepCounts: [Int], rowCount: Int,
    changedRow: @escaping (UInt32, [String: PropertyValue]) -> UInt32
  ) {
    self.columns = columns
    self.now = now
    kinds = meanings.kinds
    codes = meanings.codes
    areCodesNumbers = meanings.codes.enumerated().allSatisfy { $0 == Int($1) }
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

  private var keepsChunks: Bool { columns.attempts || columns.dimensions || columns.details }

  /// Sorts the rows by subject and keeps each subject's rows in arrival order.
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
    let (entries, ends) = (entries, ends.baseAddress)
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
        // The next chunk's positions begin at a multiple of the capacity, even after a chunk that is not full.
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

  /// Passes each subject's history to a closure.
  ///
  /// - Returns: false if events can't be told apart without further columns; the histories passed so far must then be discarded.
  mutating func forEachSequence(_ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError) -> Bool {
    guard !lacksDetails else { return false }
    var largest = 0
    for subject in 0..<ends.count { largest = max(largest, Int(ends[subject] &- (subject == 0 ? 0 : ends[subject - 1]))) }
    let output = SequenceBuffer(capacity: largest * kinds.partsMax)
    var start = 0
    var (earliest, latest) = (Int64.max, Int64.min)
    for subject in 0..<ends.count {
      let end = Int(ends[subject])
      defer { start = end }
      let slice = UnsafeMutableBufferPointer(start: entries + start, count: end - start)
      Self.sortByTime(slice)
      var count = slice.count
      if Self.hasDuplicate(slice) {
        guard let left = removeDuplicates(slice) else { return false }
        count = left
      }
      if count > 0 {
        let (first, last) = (slice[0].milliseconds, slice[count &- 1].milliseconds)
        (earliest, latest) = (min(earliest, first), max(latest, last))
      }
      guard let wanted = order(UnsafeMutableBufferPointer(rebasing: slice[..<count]), into: output.columns) else {
        return false
      }
      guard wanted > 0 else { continue }
      try body(
        EventSequence(
          count: wanted, kinds: UnsafePointer(output.columns.kinds), times: UnsafePointer(output.columns.times),
          attempts: columns.attempts ? UnsafePointer(output.columns.attempts) : nil,
          rows: columns.dimensions ? UnsafePointer(output.columns.rows) : nil, names: names))
    }
    if earliest <= latest { deduplicated.times = earliest...latest }
    return true
  }

  /// Writes those of a subject's entries that journeys want, in order. Returns their number, or nil if the columns that decide the order of
  /// some are missing.
  @inline(__always)
  mutating func order(_ entries: UnsafeMutableBufferPointer<Entry>, into output: SequenceColumns) -> Int? {
    if areCodesNumbers { return orderTies(entries) ? write(entries, to: output) : nil }
    return orderParts(of: entries, into: output)
  }

  /// Replaces each entry by one for every event that a flow reads it as, then orders and writes them.
  private mutating func orderParts(of entries: UnsafeMutableBufferPointer<Entry>, into output: SequenceColumns) -> Int? {
    var parts: [Entry] = []
    swap(&parts, &self.parts)
    defer { swap(&parts, &self.parts) }
    parts.removeAll(keepingCapacity: true)
    for var entry in entries where entry.meaning != 0 {
      let code = codes[Int(entry.meaning) - 1]
      entry.identity = 0
      for part in EventClassTable.isCompound(code) ? kinds.parts(of: code) : [code] {
        entry.meaning = part + 1
        parts.append(entry)
        entry.identity += 1
      }
    }
    return parts.withUnsafeMutableBufferPointer { orderTies($0) ? write($0, to: output) : nil }
  }

  /// Writes the entries that a journey wants and returns their number.
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

  /// Returns the row of an entry's dimension values, as the entry's flow reads them.
  @inline(__always)
  mutating func row(of entry: Entry) -> UInt32 {
    let logged = chunk(of: entry).dimensions[place(of: entry)]
    return kinds.changedProps.isEmpty ? logged : changedRow(of: entry.meaning &- 1, logged)
  }

  private mutating func changedRow(of code: UInt32, _ row: UInt32) -> UInt32 {
    guard let props = kinds.changedProps[code] else { return row }
    let key = UInt64(code) << 32 | UInt64(row)
    if let known = changedRows[key] { return known }
    let changed = changedRow(row, props)
    changedRows[key] = changed
    return changed
  }

  @inline(__always)
  func chunk(of entry: Entry) -> RowChunk { chunks[Int(entry.place) / RowChunk.capacity] }

  @inline(__always)
  func place(of entry: Entry) -> Int { Int(entry.place) % RowChunk.capacity }

  /// Sorts entries by time. Logs are nearly in order, so an insertion sort is the fastest for a subject with few rows.
  @inline(__always)
  private static func sortByTime(_ entries: UnsafeMutableBufferPointer<Entry>) {
    guard entries.count <= 64 else { return sortManyByTime(entries) }
    var index = 1
    while index < entries.count {
      let entry = entries[index]
      var place = index
      while place > 0, entries[place &- 1].milliseconds > entry.milliseconds {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
      index &+= 1
    }
  }

  private static func sortManyByTime(_ entries: UnsafeMutableBufferPointer<Entry>) {
    var entries = entries
    entries.sort { $0.milliseconds < $1.milliseconds }
  }
}
