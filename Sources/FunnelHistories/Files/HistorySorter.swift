internal import FunnelIndex
import FunnelIngest
import FunnelModel

/// Sorts the rows of one partition into histories. What a thread needs for it.
struct HistorySorter: ~Copyable {
  /// A row on its way into a history.
  struct Entry {
    var milliseconds: Int64
    /// The event's identity. Once duplicates are gone: which of the events it is that one flow reads the row as.
    var identity: UInt64
    /// The meaning's number plus one, then the kind's code plus one; 0 for an event no journey wants.
    var meaning: UInt32
    /// The row's place among all rows of the partition, by which its other columns are found.
    var place: UInt32
  }

  private let columns: RowColumns
  private let now: Int64
  private let kinds: KindTable
  /// The code of each meaning.
  private let codes: [UInt32]
  /// Whether each meaning's number is its code.
  private let areCodesNumbers: Bool
  private let tieRanks: [Int]
  private let changedRow: (UInt32, [String: PropertyValue]) -> UInt32
  private var changedRows: [UInt64: UInt32] = [:]
  /// Room for the rows of a subject, one for each event that a flow reads a row as.
  private var parts: [Entry] = []
  private let rowCount: Int
  private let entries: UnsafeMutablePointer<Entry>
  /// Where each subject's entries end.
  private var ends: UnsafeMutableBufferPointer<UInt32>
  /// Whether a field of a row did not fit and the details that have it are not there.
  private var lacksDetails = false
  /// The chunks with further columns, in the order of the places.
  private var chunks: [RowChunk] = []

  /// - Parameters:
  ///   - meanings: What the rows' meanings stand for.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  ///   - changedRow: Gives the row of dimension values that has other values for some properties.
  init(
    columns: RowColumns, now: Int64, meanings: SharedKindTable.Contents, stepCounts: [Int], rowCount: Int,
    changedRow: @escaping (UInt32, [String: PropertyValue]) -> UInt32
  ) {
    self.columns = columns
    self.now = now
    kinds = meanings.kinds
    codes = meanings.codes
    areCodesNumbers = meanings.codes.enumerated().allSatisfy { $0 == Int($1) }
    self.changedRow = changedRow
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

  /// Sorts by subject, and leaves each subject's rows in the order they came in.
  mutating func sort(_ partition: HistoryPartition, spillFile: SpillFile) throws(FunnelError) {
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
      if keepsChunks {
        // Chunks that are not full would put the places of the next ones off.
        place = (place &+ UInt32(RowChunk.capacity - 1)) / UInt32(RowChunk.capacity) &* UInt32(RowChunk.capacity)
        kept.append(chunk)
      }
    }
    chunks = kept
    self.lacksDetails = lacksDetails && !hasDetails
  }

  /// Hands out each subject's history.
  ///
  /// - Returns: false where events can't be told apart without further columns; what was handed out is not to be used then.
  mutating func forEachHistory(_ body: (SubjectHistory) throws(FunnelError) -> Void) throws(FunnelError) -> Bool {
    guard !lacksDetails else { return false }
    var largest = 0
    for subject in 0..<ends.count { largest = max(largest, Int(ends[subject] &- (subject == 0 ? 0 : ends[subject - 1]))) }
    let output = HistoryBuffer(capacity: largest * kinds.partsMax)
    var start = 0
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
      guard let wanted = order(UnsafeMutableBufferPointer(rebasing: slice[..<count]), into: output.columns) else {
        return false
      }
      guard wanted > 0 else { continue }
      try body(
        SubjectHistory(
          count: wanted, kinds: UnsafePointer(output.columns.kinds), times: UnsafePointer(output.columns.times),
          attempts: columns.attempts ? UnsafePointer(output.columns.attempts) : nil,
          rows: columns.dimensions ? UnsafePointer(output.columns.rows) : nil))
    }
    return true
  }

  /// Writes what journeys want of a subject's entries, in order, and returns how many events they are, or nil if what decides the order
  /// of some is not there.
  @inline(__always)
  private mutating func order(_ entries: UnsafeMutableBufferPointer<Entry>, into output: HistoryColumns) -> Int? {
    if areCodesNumbers { return orderTies(entries) ? write(entries, to: output) : nil }
    return orderParts(of: entries, into: output)
  }

  /// Puts an entry for each event that a flow reads an entry as in its place, then orders and writes them.
  private mutating func orderParts(of entries: UnsafeMutableBufferPointer<Entry>, into output: HistoryColumns) -> Int? {
    var parts: [Entry] = []
    swap(&parts, &self.parts)
    defer { swap(&parts, &self.parts) }
    parts.removeAll(keepingCapacity: true)
    for var entry in entries where entry.meaning != 0 {
      let code = codes[Int(entry.meaning) - 1]
      entry.identity = 0
      for part in KindTable.isCompound(code) ? kinds.parts(of: code) : [code] {
        entry.meaning = part + 1
        parts.append(entry)
        entry.identity += 1
      }
    }
    return parts.withUnsafeMutableBufferPointer { orderTies($0) ? write($0, to: output) : nil }
  }

  /// Writes what a journey wants of the entries, and returns how many that are.
  @inline(__always)
  private mutating func write(_ entries: UnsafeMutableBufferPointer<Entry>, to output: HistoryColumns) -> Int {
    var count = 0
    for entry in entries where entry.meaning != 0 && entry.milliseconds <= now {
      output.kinds[count] = entry.meaning &- 1
      output.times[count] = entry.milliseconds
      if columns.attempts { output.attempts[count] = chunk(of: entry).attempt(of: place(of: entry)) }
      if columns.dimensions { output.rows[count] = row(of: entry) }
      count &+= 1
    }
    return count
  }

  /// The row of an entry's dimension values, as its flow reads them.
  @inline(__always)
  private mutating func row(of entry: Entry) -> UInt32 {
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
  private func chunk(of entry: Entry) -> RowChunk { chunks[Int(entry.place) / RowChunk.capacity] }

  @inline(__always)
  private func place(of entry: Entry) -> Int { Int(entry.place) % RowChunk.capacity }

  /// By time. Logs are nearly in order, so a subject's few rows are put right in place.
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

  /// Whether two entries have one identity.
  @inline(__always)
  private static func hasDuplicate(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    guard entries.count <= 32 else { return hasDuplicateAmongMany(entries) }
    var index = 1
    while index < entries.count {
      let identity = entries[index].identity
      var found = false
      var other = 0
      while other < index {
        found = found || entries[other].identity == identity
        other &+= 1
      }
      if found { return true }
      index &+= 1
    }
    return false
  }

  private static func hasDuplicateAmongMany(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    var identities = entries.map(\.identity)
    identities.sort()
    return zip(identities, identities.dropFirst()).contains { $0 == $1 }
  }

  /// Keeps the first entry of each identity, of those of one moment that with the smallest record.
  ///
  /// - Returns: how many are left, in front; nil where records are needed that are not there.
  private func removeDuplicates(_ entries: UnsafeMutableBufferPointer<Entry>) -> Int? {
    var placeOfIdentity: [UInt64: Int] = [:]
    var count = 0
    for index in entries.indices {
      let entry = entries[index]
      guard let place = placeOfIdentity[entry.identity] else {
        placeOfIdentity[entry.identity] = count
        entries[count] = entry
        count += 1
        continue
      }
      let kept = entries[place]
      if kept.milliseconds < entry.milliseconds || areEqual(kept, entry) { continue }
      guard columns.records else { return nil }
      if record(of: entry).precedes(record(of: kept)) { entries[place] = entry }
    }
    return count
  }

  /// Whether it makes no difference which of two duplicates of one moment stays.
  private func areEqual(_ a: Entry, _ b: Entry) -> Bool {
    guard mean(a, sameAs: b) else { return false }
    // Without details, whoever has others beside him at his moment is undecided anyway.
    return !columns.details
      || chunk(of: a).details[place(of: a)].sequence == chunk(of: b).details[place(of: b)].sequence
  }

  /// Whether it makes no difference to any report which of two events of one moment comes first, or stays.
  private func mean(_ a: Entry, sameAs b: Entry) -> Bool {
    guard a.meaning == b.meaning else { return false }
    if a.meaning == 0 { return true }
    if columns.dimensions, chunk(of: a).dimensions[place(of: a)] != chunk(of: b).dimensions[place(of: b)] { return false }
    return !columns.attempts || chunk(of: a).attempt(of: place(of: a)) == chunk(of: b).attempt(of: place(of: b))
  }

  /// Puts events of one moment in order: by `seq`, the place of the step entered, id and name.
  ///
  /// - Returns: false where what decides is not there.
  @inline(__always)
  private func orderTies(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    var index = 1
    while index < entries.count {
      if entries[index].milliseconds == entries[index &- 1].milliseconds {
        guard let end = orderTie(entries, from: index &- 1) else { return false }
        index = end
      }
      index &+= 1
    }
    return true
  }

  /// Orders the events of one moment that begin at a place; returns where they end.
  private func orderTie(_ entries: UnsafeMutableBufferPointer<Entry>, from start: Int) -> Int? {
    var end = start + 1
    while end < entries.count, entries[end].milliseconds == entries[start].milliseconds { end += 1 }
    var tie = UnsafeMutableBufferPointer(rebasing: entries[start..<end])
    if isInOrder(tie) { return end }
    guard columns.details else { return nil }
    tie.sort { precedes($0, $1) }
    return end
  }

  /// Whether the order of events of one moment makes no difference to any report: to each flow they mean the same, or they are what it
  /// reads one event as, in their order already.
  private func isInOrder(_ tie: UnsafeMutableBufferPointer<Entry>) -> Bool {
    // Of each flow the first entry; a tie rarely has more than one flow. What no journey wants has no place among the others.
    var firsts: [(flow: Int32, entry: Entry, hasParts: Bool, hasOthers: Bool)] = []
    for entry in tie where entry.meaning != 0 {
      let flow = kinds.entries[Int(entry.meaning) - 1].flow
      guard let index = firsts.firstIndex(where: { $0.flow == flow }) else {
        firsts.append((flow, entry, false, false))
        continue
      }
      if entry.place == firsts[index].entry.place {
        firsts[index].hasParts = true
      } else {
        firsts[index].hasOthers = true
        if !mean(entry, sameAs: firsts[index].entry) { return false }
      }
      if firsts[index].hasParts, firsts[index].hasOthers { return false }
    }
    return true
  }

  private func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.meaning == 0 || b.meaning == 0 { return a.meaning < b.meaning }
    let (detailA, detailB) = (chunk(of: a).details[place(of: a)], chunk(of: b).details[place(of: b)])
    if detailA.sequence != detailB.sequence { return detailA.sequence < detailB.sequence }
    let (rankA, rankB) = (tieRanks[Int(a.meaning) - 1], tieRanks[Int(b.meaning) - 1])
    if rankA != rankB { return rankA < rankB }
    let (idA, idB) = (text(of: a, 0, Int(detailA.idByteCount)), text(of: b, 0, Int(detailB.idByteCount)))
    if idA.precedes(idB) { return true }
    if idB.precedes(idA) { return false }
    if a.place == b.place { return a.identity < b.identity }
    return text(of: a, idA.count, Int(detailA.nameByteCount)).precedes(text(of: b, idB.count, Int(detailB.nameByteCount)))
  }

  private func record(of entry: Entry) -> UnsafeRawBufferPointer {
    let detail = chunk(of: entry).details[place(of: entry)]
    return text(of: entry, Int(detail.idByteCount) + Int(detail.nameByteCount), Int(detail.recordByteCount))
  }

  private func text(of entry: Entry, _ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    let chunk = chunk(of: entry)
    let start = Int(chunk.details[place(of: entry)].text) + offset
    return UnsafeRawBufferPointer(start: chunk.texts.map { UnsafeRawPointer($0 + start) }, count: count)
  }
}
