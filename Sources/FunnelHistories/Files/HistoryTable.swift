public import FunnelIndex
import FunnelIngest
public import FunnelModel
import FunnelSystem
import Synchronization

/// The histories of raw files: all their events, partitioned by subject, in memory as far as it may be used, the rest in a temporary file.
///
/// A partition's rows stay in the order they came in until it is folded; then they are sorted by subject (a counting sort: subjects are small
/// numbers) and each subject's by time. Of events with one identity that with the smallest time stays, of those the one with the smallest
/// record (specification section 2).
///
/// What tells events of one moment apart, their ids and records, takes more room than all else and is hardly ever asked for. So it is left
/// out at first; where it turns out to matter the table says so, see ``isUndecided``, and the files are read once more with it.
public final class HistoryTable: HistorySource {
  /// Into how many partitions subjects are hashed, whatever the number of threads.
  static let partitions = 128

  let columns: RowColumns
  let query: ReportQuery
  private let flows: Set<Int>
  private let stepCounts: [Int]
  private let attemptFlows: Set<Int>
  private let memoryBytesMax: Int
  private let arena: RowArena
  private let spillFile = SpillFile()
  private let tables: [HistoryPartition]
  private let kindTable = SharedKindTable()
  private let segmentTable: Guarded<SegmentTable>
  private let undecided = Atomic(false)

  /// An empty table.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - memoryBytesMax: What the rows may take of memory.
  init(catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, columns: RowColumns, memoryBytesMax: Int) {
    self.query = query
    self.flows = flows
    self.columns = columns
    self.memoryBytesMax = memoryBytesMax
    stepCounts = catalog.definitions.map(\.steps.count)
    attemptFlows = flows.filter { (query.countBy ?? catalog.definitions[$0].countBy) == .attempt }
    let arena = RowArena(chunkBytes: RowChunk.byteCount(columns))
    self.arena = arena
    tables = (0..<Self.partitions).map { _ in HistoryPartition(columns, in: arena) }
    segmentTable = Guarded(SegmentTable(dimensions: query.by + query.conditions.map(\.dimension)))
  }

  /// What rows and subjects may take: an eighth is left for what reads and sorts them.
  private var rowBytesMax: Int { memoryBytesMax - memoryBytesMax / 8 }

  public var partitionCount: Int { Self.partitions }
  public var kinds: [KindTable.Entry] { kindTable.contents.kinds.entries }
  public var segments: SegmentTable { segmentTable.withLock { $0 } }

  /// Whether a fold met events of one moment that it could not tell apart: what it counted is not to be used.
  var isUndecided: Bool { undecided.load(ordering: .relaxed) }

  /// The number of a meaning, plus one; 0 if no journey wants it.
  func sharedMeaning(of claims: [KindTable.Claim]) -> UInt32 {
    let wanted = claims.filter { flows.contains(Int($0.entry.flow)) }
    return wanted.isEmpty ? 0 : kindTable.number(of: wanted) + 1
  }

  /// Whether a flow version's groups are attempts.
  func countsByAttempt(_ flow: Int) -> Bool { attemptFlows.contains(flow) }

  /// The row of dimension values.
  func sharedDimensions(of values: [PropertyValue]) -> UInt32 { segmentTable.withLock { $0.append(values) } }

  /// The row of dimension values of an event some of whose properties a flow reads otherwise.
  private func changedRow(_ row: UInt32, _ props: [String: PropertyValue]) -> UInt32 {
    segmentTable.withLock { $0.append(row, with: props) }
  }

  /// Adds rows to a partition.
  func add(_ staged: borrowing StagedRows, to partition: Int) throws(FunnelError) {
    tables[partition].add(staged)
    if arena.bytesInUse > rowBytesMax { try tables[partition].spill(to: spillFile) }
  }

  public func forEachHistory(
    inPartition number: Int, _ body: (SubjectHistory) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    guard !isUndecided else { return }
    guard tables[number].rowCount * MemoryLayout<HistorySorter.Entry>.stride <= max(memoryBytesMax, Limits.sortBytesMin) else {
      throw FunnelError(
        .unusableInput,
        "a few subjects have \(tables[number].rowCount) events, more than can be sorted in the memory allowed, raise --memory-limit"
      )
    }
    var sorter = HistorySorter(
      columns: columns, now: query.now.milliseconds, meanings: kindTable.contents, stepCounts: stepCounts,
      rowCount: tables[number].rowCount, changedRow: changedRow)
    try sorter.sort(tables[number], spillFile: spillFile)
    guard try sorter.forEachHistory(body) else { return undecided.store(true, ordering: .relaxed) }
  }
}
