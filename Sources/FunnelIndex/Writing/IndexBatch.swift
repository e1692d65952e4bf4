internal import FunnelIngest
package import FunnelModel
internal import FunnelSystem

/// Recorded events, sorted by subject, which become a run and are searched for duplicates.
package final class IndexBatch: Sendable {
  let blocks: [RecordedBlock]
  let union: DictionaryUnion
  /// The rows of each block with the tables of its recorder.
  let views: BlockViews
  /// The rows of all partitions, sorted; those of one partition are adjacent.
  private let entries: GrowingStorage<SortedRow>
  private let partitionStarts: [Int]
  let threads: Int

  /// Sorts recorded events.
  ///
  /// - Parameters:
  ///   - blocks: The events.
  ///   - dictionaries: The dictionaries of all recorders, by the recorders' numbers, taken after the last of the blocks.
  package convenience init(_ blocks: [RecordedBlock], dictionaries: [IndexDictionaries], threads: Int) throws(FunnelError) {
    try self.init(blocks, DictionaryUnion(dictionaries), threads: threads)
  }

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

/// The sort key of a row, and its position. It takes 32 bytes.
struct SortedRow: BitwiseCopyable, Sendable {
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  var block: UInt32
  var row: UInt32

  @inline(__always)
  func isOfSameSubject(as other: SortedRow) -> Bool {
    subjectHigh == other.subjectHigh && subjectLow == other.subjectLow
  }
}

/// Distributes the rows of blocks to the partitions, in arrival order.
private struct RowScatter: ~Copyable {
  private(set) var starts: [Int]
  private var entries: GrowingStorage<SortedRow>

  init(_ blocks: [RecordedBlock]) {
    var counts = Array(repeating: 0, count: IndexFormat.partitionCount)
    for block in blocks {
      for index in 0..<block.rows.count { counts[(block.rows.base + index).pointee.partition] += 1 }
    }
    starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    var places = Array(starts.dropLast())
    entries = GrowingStorage(capacity: starts[starts.count - 1])
    let target = entries.extend(by: starts[starts.count - 1])
    places.withUnsafeMutableBufferPointer { places in
      for (number, block) in blocks.enumerated() {
        for index in 0..<block.rows.count {
          let row = block.rows.base + index
          let partition = row.pointee.partition
          target[places[partition]] = SortedRow(
            subjectHigh: row.pointee.subjectHigh, subjectLow: row.pointee.subjectLow, milliseconds: row.pointee.milliseconds,
            block: UInt32(truncatingIfNeeded: number), row: UInt32(truncatingIfNeeded: index))
          places[partition] &+= 1
        }
      }
    }
  }

  mutating func takeEntries() -> GrowingStorage<SortedRow> {
    var taken = GrowingStorage<SortedRow>(capacity: 1)
    swap(&taken, &entries)
    return taken
  }
}
