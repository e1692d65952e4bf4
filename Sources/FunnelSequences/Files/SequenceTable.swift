package import FunnelIndex
import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// A table of the events of log files, from which the event sequence of each subject is read.
///
/// Rows are partitioned by a hash of the subject. They are kept in memory up to a limit, and in a temporary file
/// above it. When a partition is read, its rows are sorted by subject and time. Of events with the same identity, the
/// one with the smallest time is kept; of those with the same time, the one with the smallest record (specification
/// section 2).
// IDs and records, which order events with the same time, take more memory than all other columns and are rarely
// needed. They are not loaded at first. If the order turns out to depend on them, ``isUndecided`` becomes true, and
// the files are read again with them.
package final class SequenceTable: SequenceSource {
  /// The number of partitions, which does not depend on the number of threads.
  static let partitions = 128

  let columns: RowColumns
  let query: ReportQuery
  private let flows: Set<Int>
  private let stepCounts: [Int]
  private let attemptFlows: Set<Int>
  private let memoryBytesMax: Int
  private let arena: RowArena
  private let spillFile = SpillFile()
  private let tables: [SequencePartition]
  private let eventClassTable = SharedEventClassTable()
  private let segmentTable: Guarded<SegmentTable>
  private let undecided = AtomicFlag()
  /// Set if an event names a user, and the users are not loaded.
  let missingUsers = AtomicFlag()
  /// The statistics of the log, collected while the events were read.
  private let counted = Guarded(LogContents())
  private let eventNames = Guarded(EventNameIDs())
  private let users = Guarded(SequenceUsers())
  /// The sequences of the subjects that share a person, or have several; `nil` until ``gatherPersons(threads:)``.
  private let persons = Guarded<PersonSequences?>(nil)
  private let catalog: FlowCatalog
  /// Whether some flow version of the report counts persons, or entries of persons.
  let countsPersons: Bool
  /// The result of deduplicating each partition, or `nil` for a partition that is not read yet.
  private let deduplicated: Guarded<[SequenceSorter.Deduplicated?]>

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - memoryBytesMax: The number of bytes of memory that the rows may use.
  init(catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, columns: RowColumns, memoryBytesMax: Int) {
    self.query = query
    self.flows = flows
    self.columns = columns
    self.memoryBytesMax = memoryBytesMax
    self.catalog = catalog
    countsPersons = query.countsPersons(in: flows, of: catalog)
    precondition(!columns.users || countsPersons, "users are read to count persons")
    stepCounts = catalog.definitions.map(\.steps.count)
    attemptFlows = flows.filter { query.unit(of: catalog.definitions[$0]) == .attempt }
    let arena = RowArena(blockBytes: RowChunk.byteCount(columns))
    self.arena = arena
    tables = (0..<Self.partitions).map { _ in SequencePartition(columns, in: arena) }
    segmentTable = Guarded(SegmentTable(dimensions: query.storedDimensions))
    deduplicated = Guarded(Array(repeating: nil, count: Self.partitions))
  }

  /// The number of bytes that rows and subjects may use.
  // An eighth is reserved for reading and sorting.
  private var rowBytesMax: Int { memoryBytesMax - memoryBytesMax / 8 }

  package var partitionCount: Int {
    Self.partitions + (persons.withLock { $0 == nil } ? 0 : PersonSequences.partitionCount)
  }
  package var crowdedUsers: [CrowdedUser] { persons.withLock { $0 }?.crowded ?? [] }
  package var eventClasses: [EventClassTable.Entry] { eventClassTable.contents.eventClasses.entries }
  package var segments: SegmentTable { segmentTable.withLock { $0 } }

  package var contents: StoreContents { StoreContents(counted.withLock { $0 }) }

  /// Stores the statistics of the log.
  func note(_ contents: LogContents) { counted.withLock { $0 = contents } }

  /// Returns the shared ID of an event name, adding it if it is new.
  ///
  /// - Parameter name: The name, or `nil` for an event whose name is not recorded, which has ID 0.
  func sharedName(_ name: EventTypeName?) -> UInt16 {
    guard let name else { return 0 }
    return eventNames.withLock { $0.findOrInsert(name) }
  }

  // The top 7 bits of a subject's hash select one of the 128 partitions.
  private static let partitionShift: UInt64 = 57

  /// Returns the partition of a subject.
  @inline(__always)
  static func partition(of subject: Hash128) -> Int { Int(truncatingIfNeeded: subject.high >> partitionShift) }

  /// Returns the shared number of a user, adding it if it is new.
  func sharedUser(_ user: LoggedUser, namedBy subject: Hash128) -> UInt32 {
    users.withLock { $0.number(of: user, namedBy: subject) }
  }

  /// Notes the subjects that name users.
  ///
  /// - Parameter named: The shared numbers of users, each with the only subject that names it, or `nil` if there are several.
  func note(_ named: [(number: UInt32, onlySubject: Hash128?)]) {
    guard !named.isEmpty else { return }
    users.withLock { users in
      for (number, subject) in named { users.note(subject, naming: number) }
    }
  }

  /// Gathers the events of subjects that share a person with others, or have several persons. Call it once, when all events
  /// were added, and before the first sequence is read.
  func gatherPersons(threads: Int) throws(FunnelError) {
    guard countsPersons, !users.withLock({ $0.isEmpty }) else { return }
    users.withLock { users in users.noteSubjects { tables[Self.partition(of: $0)].subjects.contains($0) } }
    let gathered = try Parallel.map(count: Self.partitions, threads: threads) { (number) throws(FunnelError) in
      var builder = GatheredSubjects.Builder()
      switch try sorter(ofPartition: number).gather(into: &builder) {
      case .undecided: undecided.set()
      case .sorted: break
      }
      return builder.finish()
    }
    guard !isUndecided, gathered.contains(where: { !$0.isEmpty }) else { return }
    let sequences = try PersonSequences(
      gathered, classes: eventClasses, stepCounts: stepCounts,
      request: PersonSequences.Request(
        query, catalog: catalog, hasAttempts: columns.attempts, hasRows: columns.dimensions, hasMeasurements: false),
      threads: threads)
    persons.withLock { $0 = sequences }
  }

  /// Subtracts the duplicates from the statistics of the log, and returns their number. Does nothing and returns 0 unless all
  /// partitions were read.
  func removeDuplicates(from contents: inout LogContents) -> Int {
    let partitions = deduplicated.withLock { $0 }.compactMap(\.self)
    guard partitions.count == Self.partitions else { return 0 }
    var counts: [EventTypeName?: Int] = [:]
    var span: ClosedRange<Int64>?
    eventNames.withLock { names in
      for partition in partitions {
        for (number, count) in partition.duplicates { counts[names.name(of: number), default: 0] += count }
        guard let times = partition.times else { continue }
        span = min(span?.lowerBound ?? .max, times.lowerBound)...max(span?.upperBound ?? .min, times.upperBound)
      }
    }
    contents.remove(counts, leaving: span)
    return counts.values.reduce(0, +)
  }

  /// Whether the order of some events depends on columns that are not loaded. All results must then be discarded.
  var isUndecided: Bool { undecided.isSet }

  /// Whether the events have to be read again with their users.
  var lacksUsers: Bool { missingUsers.isSet }

  /// Returns the match set ID plus one of the flow matches that the report is about, or 0 if there are none.
  func sharedMatchSet(of flowMatches: [EventClassTable.FlowMatch]) -> UInt32 {
    let matches = flowMatches.filter { flows.contains(Int($0.entry.flow)) }
    return matches.isEmpty ? 0 : eventClassTable.matchSetID(of: matches) + 1
  }

  /// Returns whether the groups of a flow version are attempts.
  func countsByAttempt(_ flow: Int) -> Bool { attemptFlows.contains(flow) }

  /// Returns the index of the row of these dimension values, adding it if it is new.
  func sharedDimensions(of values: [PropertyValue]) -> UInt32 { segmentTable.withLock { $0.append(values) } }

  /// Returns the index of the dimension row that equals `row` except for the property values in `props`.
  private func changedRow(_ row: UInt32, _ props: [String: PropertyValue]) -> UInt32 {
    segmentTable.withLock { $0.append(row, with: props) }
  }

  /// Adds rows to a partition, and spills the partition's full chunks if the table exceeds its memory.
  ///
  /// - Throws: The error of the temporary file.
  func add(_ staged: borrowing StagedRows, to partition: Int) throws(FunnelError) {
    tables[partition].add(staged)
    if arena.bytesInUse > rowBytesMax { try tables[partition].spill(to: spillFile) }
  }

  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    guard !isUndecided else { return }
    guard number < Self.partitions else {
      try persons.withLock { $0 }?.forEachSequence(inPartition: number - Self.partitions, upTo: moment, body)
      return
    }
    let outcome = try sorter(ofPartition: number).forEachSequence(upTo: moment, body)
    switch outcome {
    case .undecided: undecided.set()
    case .sorted(let result): deduplicated.withLock { $0[number] = result }
    }
  }

  /// Returns a sorter of the events of a partition.
  ///
  /// - Throws: `unusableInput` if a few subjects have too many events to be sorted in memory, and the error of the temporary
  ///   file.
  private func sorter(ofPartition number: Int) throws(FunnelError) -> SequenceSorter {
    let rowCount = tables[number].rowCount
    guard rowCount * MemoryLayout<SequenceSorter.Entry>.stride <= max(memoryBytesMax, Limits.sortBytesMin) else {
      throw FunnelError(
        .unusableInput,
        "a few subjects have \(rowCount) events, more than can be sorted in the memory allowed, raise --memory-limit"
      )
    }
    return SequenceSorter(
      try GroupedRows(tables[number], columns: columns, spillFile: spillFile), now: query.now.milliseconds,
      flowMatchLists: eventClassTable.contents, stepCounts: stepCounts, changedRow: changedRow,
      persons: columns.users ? PersonRules(users.withLock { $0 }, catalog: catalog, query: query, flows: flows) : nil)
  }
}

/// The event name IDs that all threads share.
private struct EventNameIDs {
  private var names: [EventTypeName] = []
  private var ids: [EventTypeName: UInt16] = [:]

  /// Returns the ID of a name, from 1, adding it if it is new; or 0, as for no name, if all IDs of 16 bits are in use.
  mutating func findOrInsert(_ name: EventTypeName) -> UInt16 {
    if let id = ids[name] { return id }
    guard let id = UInt16(exactly: names.count + 1) else { return 0 }
    names.append(name)
    ids[name] = id
    return id
  }

  /// Returns the name with an ID, or `nil` for ID 0.
  func name(of id: UInt16) -> EventTypeName? { id == 0 ? nil : names[Int(id) - 1] }
}
