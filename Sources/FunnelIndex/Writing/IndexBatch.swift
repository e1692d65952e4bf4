package import FunnelModel
internal import FunnelSystem

/// A batch of recorded events, sorted by subject, that is searched for duplicates and written as a sorted run.
package final class IndexBatch: Sendable {
  /// The blocks whose events the batch contains.
  let blocks: [RecordedBlock]
  /// The dictionaries of the batch.
  let union: DictionaryUnion
  /// The rows of each block, with tables that translate its codes to those of the batch.
  let views: BlockViews
  /// The sorted rows of all partitions, one partition after another.
  private let entries: UniqueArray<SortedRow>
  /// The index of each partition's first row, then the number of all rows.
  private let partitionStarts: [Int]
  /// The number of threads to use.
  let threads: Int

  /// Sorts recorded events.
  ///
  /// - Parameters:
  ///   - blocks: The events.
  ///   - dictionaries: The dictionaries of all recorders, by recorder number. They must include the codes of
  ///     all blocks.
  package convenience init(_ blocks: [RecordedBlock], dictionaries: [IndexDictionaries], threads: Int) throws(FunnelError) {
    try self.init(blocks, DictionaryUnion(dictionaries), threads: threads)
  }

  /// Sorts recorded events, given the union of the recorders' dictionaries.
  init(_ blocks: [RecordedBlock], _ union: DictionaryUnion, threads: Int) throws(FunnelError) {
    self.blocks = blocks
    self.threads = threads
    self.union = union
    views = BlockViews(blocks, union)
    var scatter = RowScatter(blocks)
    partitionStarts = scatter.starts
    entries = scatter.takeEntries()
    let sorter = RowSorter(views: views, dictionaries: union.dictionaries)
    let rows = entries.mutableElements
    let starts = partitionStarts
    _ = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      sorter.sort(rows[starts[partition]..<starts[partition + 1]])
    }
  }

  /// Whether the batch has few enough event types to be indexed.
  package var isIndexable: Bool { union.dictionaries.hasAllTypes }

  /// Returns the sorted rows of a partition.
  func rows(ofPartition partition: Int) -> BorrowedColumn<SortedRow> {
    entries.elements[partitionStarts[partition]..<partitionStarts[partition + 1]]
  }

  /// Writes all events as a sorted run.
  ///
  /// - Returns: The run's checksum.
  func write(to target: some RunTarget) throws(FunnelError) -> UInt32 {
    precondition(isIndexable, "a batch with too many event types has no run")
    var writer = RunWriter(to: target, dictionaries: union.dictionaries)
    try PartitionWaves.forEach(threads: threads, bytes: 0) { (partition) throws(FunnelError) in
      BatchPartition(self, partition).encode()
    } consume: { (partition) throws(FunnelError) in
      try writer.append(partition)
    }
    return try writer.finish()
  }

  /// Returns all events as a sorted run in memory, open for reading.
  func memoryRun() throws(FunnelError) -> SortedRun {
    let target = MemoryTarget()
    _ = try write(to: target)
    guard let run = SortedRun(target) else { throw FunnelError.damagedIndex }
    return run
  }
}

/// The sort key of a row, with the location of the row. It takes 32 bytes.
struct SortedRow: BitwiseCopyable, Sendable {
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  /// The index of the row's block in the batch.
  var block: UInt32
  /// The index of the row in its block.
  var row: UInt32

  /// Returns whether two rows have the same subject.
  @inline(__always)
  func isOfSameSubject(as other: SortedRow) -> Bool {
    subjectHigh == other.subjectHigh && subjectLow == other.subjectLow
  }
}

/// A counting sort of rows by partition, which keeps their order within a partition.
private struct RowScatter: ~Copyable {
  /// The index of each partition's first row, then the number of all rows.
  private(set) var starts: [Int]
  private var entries: UniqueArray<SortedRow>

  init(_ blocks: [RecordedBlock]) {
    var counts = Array(repeating: 0, count: IndexFormat.partitionCount)
    for block in blocks {
      for index in 0..<block.rows.count { counts[block.rows[index].partition] += 1 }
    }
    starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    let nextIndices = UniqueArray(starts)
    entries = UniqueArray(capacity: starts[starts.count - 1])
    let target = entries.appendUninitialized(starts[starts.count - 1])
    for (number, block) in blocks.enumerated() {
      for index in 0..<block.rows.count {
        let row = block.rows[index]
        let partition = row.partition
        target[nextIndices[partition]] = SortedRow(
          subjectHigh: row.subjectHigh, subjectLow: row.subjectLow, milliseconds: row.milliseconds,
          block: UInt32(truncatingIfNeeded: number), row: UInt32(truncatingIfNeeded: index))
        nextIndices[partition] &+= 1
      }
    }
  }

  /// Returns the rows and leaves this structure without any.
  mutating func takeEntries() -> UniqueArray<SortedRow> { entries.take() }
}

/// A pipeline that encodes the partitions of a sorted run on all threads and consumes them in order. Few are in
/// memory at once.
enum PartitionWaves {
  /// The size of a partition, in bytes, above which fewer of them are in memory at once.
  private static let largePartitionBytes = 4 << 20

  /// Returns whether the partitions of a run with `bytes` bytes are large.
  static func areLarge(bytes: Int) -> Bool { bytes / IndexFormat.partitionCount > largePartitionBytes }

  /// Encodes and consumes all partitions.
  ///
  /// - Parameters:
  ///   - bytes: The approximate size of all partitions together.
  ///   - make: Returns an encoded partition, given its index. Called on any thread.
  ///   - consume: Receives the partitions in order.
  static func forEach(
    threads: Int, bytes: Int, make: @escaping @Sendable (Int) throws(FunnelError) -> EncodedPartition,
    consume: (EncodedPartition) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var partitions = 0..<IndexFormat.partitionCount
    try OrderedPipeline.run(
      threads: threads, inProgressMax: areLarge(bytes: bytes) ? threads : nil,
      next: { () throws(FunnelError) in partitions.popFirst() }, makeWorker: {},
      transform: { (_: inout Void, partition: Int) throws(FunnelError) in try make(partition) }, consume: consume)
  }
}
