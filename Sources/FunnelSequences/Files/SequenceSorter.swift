internal import FunnelIndex
import FunnelDecoding
import FunnelModel

/// Sorts the rows of one partition into event sequences, one for each subject.
///
///     let sorter = SequenceSorter(
///       rows, now: now, flowMatchLists: table, stepCounts: counts, changedRow: changedRow, persons: nil)
///     switch try sorter.forEachSequence(upTo: now, { … }) { … }
///
/// Not thread-safe: each thread uses its own sorter.
struct SequenceSorter: ~Copyable {
  typealias Entry = GroupedRows.Entry

  /// The result of sorting a partition.
  enum Outcome {
    /// All sequences are in order.
    case sorted(Deduplicated)
    /// The order of some events depends on columns that are not loaded. The caller must discard all sequences.
    case undecided
  }

  /// The result of deduplicating a partition.
  struct Deduplicated: Sendable {
    /// The number of duplicates by event name ID.
    var duplicates: [UInt16: Int] = [:]
    /// The times of the first and the last event that was kept, or `nil` if there are no events.
    var times: ClosedRange<Int64>?
  }

  /// The error of a decision that depends on columns that are not loaded.
  struct Undecided: Error {}

  // An insertion sort is faster than a library sort for few rows, because logs are nearly in order.
  private static let insertionSortCountMax = 64

  let rows: GroupedRows
  let now: Int64
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
  private var expanded = UniqueArray<Entry>()
  /// The memory for the columns of the current event sequence.
  private let buffer: SequenceBuffer
  /// The texts of the current event sequence, or `nil` unless the query needs names.
  private let names: SortedNames?
  /// The rules that tell which subjects are regrouped by person; `nil` if no event names a user.
  let persons: PersonRules?
  /// The result of deduplicating the subjects so far.
  var deduplicated = Deduplicated()

  /// Creates a sorter for the rows of a partition.
  ///
  /// - Parameters:
  ///   - now: The time after which events are skipped, in milliseconds since the epoch.
  ///   - flowMatchLists: The table of event classes that the rows' match set IDs refer to.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  ///   - changedRow: Returns the dimension row that equals a given one except for the given property values.
  ///   - persons: The rules that tell which subjects are regrouped by person; `nil` if no event names a user.
  init(
    _ rows: consuming GroupedRows, now: Int64, flowMatchLists: SharedEventClassTable.Contents, stepCounts: [Int],
    changedRow: @escaping (UInt32, [String: PropertyValue]) -> UInt32, persons: PersonRules?
  ) {
    self.persons = persons
    self.now = now
    eventClasses = flowMatchLists.eventClasses
    classIDs = flowMatchLists.classIDs
    areIDsEqual = flowMatchLists.classIDs.enumerated().allSatisfy { $0 == Int($1) }
    tieRanks = eventClasses.entries.map { $0.kind.tieRank(stepCount: stepCounts[Int($0.flow)]) }
    self.changedRow = changedRow
    buffer = SequenceBuffer(capacity: rows.largestCount * eventClasses.partsMax)
    names = rows.columns.names ? SortedNames(rows.chunks) : nil
    self.rows = rows
  }

  /// Passes the event sequence of each subject that has events with flow matches to `body`, without those that are regrouped.
  ///
  /// - Parameter moment: The time in milliseconds since the epoch after which events are ignored.
  /// - Throws: The error of `body`.
  consuming func forEachSequence(
    upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) -> Outcome {
    guard !rows.lacksDetails else { return .undecided }
    let end = min(now, moment)
    for subject in 0..<rows.subjectCount {
      let entries: MutableColumn<Entry>
      do throws(Undecided) {
        entries = try sort(rows.entries(ofSubject: subject))
      } catch {
        return .undecided
      }
      if let persons {
        if isRegrouped(subject, entries, by: persons) { continue }
        names?.user = user(of: entries, upTo: end, by: persons)
      }
      let count = write(entries, upTo: end)
      guard count > 0 else { continue }
      try body(
        buffer.columns.sequence(
          ofFirst: count, hasAttempts: rows.columns.attempts, hasRows: rows.columns.dimensions, names: names))
    }
    return .sorted(deduplicated)
  }

  /// Sorts a subject's events and removes duplicates. Returns an entry for each event class of an event, with its ID plus one.
  @inline(__always)
  mutating func sort(_ entries: MutableColumn<Entry>) throws(Undecided) -> MutableColumn<Entry> {
    Self.sortByTime(entries)
    let kept = Self.hasDuplicate(entries) ? entries[0..<(try removeDuplicates(entries))] : entries
    if kept.count > 0 { note(times: kept[0].milliseconds...kept[kept.count &- 1].milliseconds) }
    guard areIDsEqual else { return try expandParts(of: kept) }
    try orderTies(kept)
    return kept
  }

  /// Extends the span of the events that were kept.
  @inline(__always)
  private mutating func note(times: ClosedRange<Int64>) {
    let known = deduplicated.times ?? times
    deduplicated.times = min(known.lowerBound, times.lowerBound)...max(known.upperBound, times.upperBound)
  }

  /// Replaces match set IDs by event class IDs, one entry for each part of a compound class, then orders and returns
  /// the entries.
  private mutating func expandParts(of entries: MutableColumn<Entry>) throws(Undecided) -> MutableColumn<Entry> {
    expanded.removeAll()
    for index in 0..<entries.count {
      var entry = entries[index]
      guard entry.matchListID != 0 else {
        // An event that no flow uses still tells to whom the others belong.
        if rows.columns.users { expanded.append(entry) }
        continue
      }
      let classID = classIDs[Int(entry.matchListID) - 1]
      entry.identity = 0
      for partID in EventClassTable.isCompound(classID) ? eventClasses.parts(of: classID) : [classID] {
        entry.matchListID = partID + 1
        expanded.append(entry)
        entry.identity += 1
      }
    }
    let parts = expanded.mutableElements
    try orderTies(parts)
    return parts
  }

  /// Writes the entries that have flow matches and are not after a moment to the buffer. Returns their count.
  @inline(__always)
  private mutating func write(_ entries: MutableColumn<Entry>, upTo moment: Int64) -> Int {
    let columns = buffer.columns
    let hasAttempts = rows.columns.attempts
    let hasDimensions = rows.columns.dimensions
    names?.removeAll()
    var count = 0
    for index in 0..<entries.count {
      let entry = entries[index]
      guard entry.matchListID != 0, entry.milliseconds <= moment else { continue }
      names?.append(row: entry.row)
      columns.classIDs[count] = entry.matchListID &- 1
      columns.times[count] = entry.milliseconds
      if hasAttempts { columns.attempts[count] = rows.attempt(of: entry) }
      if hasDimensions { columns.rows[count] = changedDimensions(of: entry) }
      count &+= 1
    }
    return count
  }

  /// Returns the index of an entry's dimension row, with the property values that the entry's flow version changes.
  @inline(__always)
  mutating func changedDimensions(of entry: Entry) -> UInt32 {
    let logged = rows.dimensions(of: entry)
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

  /// Sorts entries by time.
  @inline(__always)
  private static func sortByTime(_ entries: MutableColumn<Entry>) {
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
