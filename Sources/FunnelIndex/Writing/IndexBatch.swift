internal import FunnelIngest
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
  private let entries: GrowingStorage<SortedRow>
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
    let base = UInt(bitPattern: entries.base)
    let starts = partitionStarts
    _ = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      let rows = UnsafeMutablePointer<SortedRow>(bitPattern: base)! + starts[partition]
      sorter.sort(UnsafeMutableBufferPointer(start: rows, count: starts[partition + 1] - starts[partition]))
    }
  }

  /// Whether the batch has few enough event types to be indexed.
  package var isIndexable: Bool { union.dictionaries.hasAllTypes }

  /// Returns the sorted rows of a partition.
  func rows(ofPartition partition: Int) -> UnsafeBufferPointer<SortedRow> {
    let start = partitionStarts[partition]
    return UnsafeBufferPointer(start: entries.base + start, count: partitionStarts[partition + 1] - start)
  }
}

/// The sort key of a row, with the position of the row. It takes 32 bytes.
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
  private var entries: GrowingStorage<SortedRow>

  init(_ blocks: [RecordedBlock]) {
    var counts = Array(repeating: 0, count: IndexFormat.partitionCount)
    for block in blocks {
      for index in 0..<block.rows.count { counts[(block.rows.base + index).pointee.partition] += 1 }
    }
    starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    var nextIndices = Array(starts.dropLast())
    entries = GrowingStorage(capacity: starts[starts.count - 1])
    let target = entries.extend(by: starts[starts.count - 1])
    nextIndices.withUnsafeMutableBufferPointer { nextIndices in
      for (number, block) in blocks.enumerated() {
        for index in 0..<block.rows.count {
          let row = block.rows.base + index
          let partition = row.pointee.partition
          target[nextIndices[partition]] = SortedRow(
            subjectHigh: row.pointee.subjectHigh, subjectLow: row.pointee.subjectLow, milliseconds: row.pointee.milliseconds,
            block: UInt32(truncatingIfNeeded: number), row: UInt32(truncatingIfNeeded: index))
          nextIndices[partition] &+= 1
        }
      }
    }
  }

  /// Returns the rows and leaves this structure without any.
  mutating func takeEntries() -> GrowingStorage<SortedRow> {
    var taken = GrowingStorage<SortedRow>(capacity: 1)
    swap(&taken, &entries)
    return taken
  }
}
