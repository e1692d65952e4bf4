public import FunnelIndex
import FunnelIngest
public import FunnelModel
import FunnelSystem

/// The histories of raw files: all their events, partitioned by subject, in memory up to a limit and beyond it in a temporary file.
///
/// A partition's rows stay in arrival order until it is folded. Then they are sorted by subject (a counting sort: subjects are small
/// numbers), and each subject's rows by time. Of events with the same identity the one with the smallest time is kept; of those with the
/// same time, the one with the smallest record (specification section 2).
///
/// The ids and records that tell events with the same time apart take more memory than all other columns and are rarely needed. They are
/// therefore left out at first; if they turn out to matter, ``isUndecided`` becomes true and the files are read again with them.
public final class SequenceTable: SequenceSource {
  /// The number of partitions into which subjects are hashed, whatever the number of threads.
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
  private let kindTable = SharedEventClassTable()
  private let segmentTable: Guarded<SegmentTable>
  private let undecided = AtomicFlag()
  private let counted = Guarded(LogContents())
  private let eventNames = Guarded(EventNameNumbers())
  /// What was left of each partition without duplicates; nil for one that was not read yet.
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
    stepCounts = catalog.definitions.map(\.steps.count)
    attemptFlows = flows.filter { (query.countBy ?? catalog.definitions[$0].countBy) == .attempt }
    let arena = RowArena(chunkBytes: RowChunk.byteCount(columns))
    self.arena = arena
    tables = (0..<Self.partitions).map { _ in SequencePartition(columns, in: arena) }
    segmentTable = Guarded(SegmentTable(dimensions: query.storedDimensions))
    deduplicated = Guarded(Array(repeating: nil, count: Self.partitions))
  }

  /// The number of bytes that rows and subjects may use; an eighth is left for reading and sorting.
  private var rowBytesMax: Int { memoryBytesMax - memoryBytesMax / 8 }

  public var partitionCount: Int { Self.partitions }
  public var kinds: [EventClassTable.Entry] { kindTable.contents.kinds.entries }
  public var segments: SegmentTable { segmentTable.withLock { $0 } }

  public var contents: StoreContents { StoreContents(counted.withLock { $0 }) }

  /// Keeps what was counted while the events were read.
  func note(_ contents: LogContents) { counted.withLock { $0 = contents } }

  /// Returns the number that all workers share of an event's name, nil for one that is not kept.
  func sharedName(_ name: EventTypeName?) -> UInt16 {
    guard let name else { return 0 }
    return eventNames.withLock { $0.number(of: name) }
  }

  /// Takes the duplicates away from what was counted while the events were read, once all partitions were read.
  func removeDuplicates(from contents: inout LogContents) {
    let parts = deduplicated.withLock { $0 }.compactMap(\.self)
    guard parts.count == Self.partitions else { return }
    var counts: [EventTypeName?: Int] = [:]
    var span: ClosedRange<Int64>?
    eventNames.withLock { names in
      for part in parts {
        for (number, count) in part.duplicates { counts[names.name(of: number), default: 0] += count }
        guard let times = part.times else { continue }
        span = min(span?.lowerBound ?? .max, times.lowerBound)...max(span?.upperBound ?? .min, times.upperBound)
      }
    }
    contents.remove(counts, leaving: span)
  }

  /// Whether a fold met events with the same time that it could not tell apart. Its counts must then be discarded.
  var isUndecided: Bool { undecided.isSet }

  /// Returns the number of a meaning plus one, or 0 if no journey wants it.
  func sharedMeaning(of claims: [EventClassTable.Claim]) -> UInt32 {
    let wanted = claims.filter { flows.contains(Int($0.entry.flow)) }
    return wanted.isEmpty ? 0 : kindTable.number(of: wanted) + 1
  }

  /// Returns whether the groups of a flow version are attempts.
  func countsByAttempt(_ flow: Int) -> Bool { attemptFlows.contains(flow) }

  /// Returns the row of these dimension values, which is added if it is new.
  func sharedDimensions(of values: [PropertyValue]) -> UInt32 { segmentTable.withLock { $0.append(values) } }

  /// Returns the row of dimension values of an event in which a flow changes some properties.
  private func changedRow(_ row: UInt32, _ props: [String: PropertyValue]) -> UInt32 {
    segmentTable.withLock { $0.append(row, with: props) }
  }

  /// Adds rows to a partition, and spills its full chunks if the table uses too much memory.
  func add(_ staged: borrowing StagedRows, to partition: Int) throws(FunnelError) {
    tables[partition].add(staged)
    if arena.bytesInUse > rowBytesMax { try tables[partition].spill(to: spillFile) }
  }

  public func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    guard !isUndecided else { return }
    guard tables[number].rowCount * MemoryLayout<SequenceSorter.Entry>.stride <= max(memoryBytesMax, Limits.sortBytesMin) else {
      throw FunnelError(
        .unusableInput,
        "a few subjects have \(tables[number].rowCount) events, more than can be sorted in the memory allowed, raise --memory-limit"
      )
    }
    var sorter = SequenceSorter(
      columns: columns, now: query.now.milliseconds, meanings: kindTable.contents, stepCounts: stepCounts,
      rowCount: tables[number].rowCount, changedRow: changedRow)
    try sorter.sort(tables[number], spillFile: spillFile)
    guard try sorter.forEachSequence(body) else { return undecided.set() }
    let found = sorter.deduplicated
    deduplicated.withLock { $0[number] = found }
  }
}

/// The numbers of the names of events that all workers share.
private struct EventNameNumbers {
  private var names: [EventTypeName] = []
  private var numbers: [EventTypeName: UInt16] = [:]

  /// Returns the number of a name, from 1; 0 if there are too many names.
  mutating func number(of name: EventTypeName) -> UInt16 {
    if let number = numbers[name] { return number }
    guard let number = UInt16(exactly: names.count + 1) else { return 0 }
    names.append(name)
    numbers[name] = number
    return number
  }

  func name(of number: UInt16) -> EventTypeName? { number == 0 ? nil : names[Int(number) - 1] }
}
