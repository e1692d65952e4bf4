import FunnelIngest
import FunnelModel

/// A reading thread's write buffer for a ``SequenceTable``.
///
/// Each thread numbers match sets, dimension rows and event names in its own order. The stager replaces these IDs by
/// the ones that all threads share, collects rows by partition, and flushes them to the table. Not thread-safe: each
/// thread owns one.
struct SequenceStager: ~Copyable {
  private let table: SequenceTable
  private let columns: RowColumns
  /// The buffer of each partition.
  private let staged: UnsafeMutablePointer<StagedRows>
  /// The shared match set ID plus one, or 0 without flow matches, by the thread's own ID.
  private var sharedMeanings: [UInt32] = []
  /// Whether some flow of the match set counts by attempt, by the thread's own match set ID.
  private var countsByAttempt: [Bool] = []
  /// The shared dimension row, by the thread's own.
  private var sharedDimensions: [UInt32] = []
  /// The shared event name ID, by the thread's own.
  private var sharedNames: [UInt16] = []
  // The top 7 bits of a subject's hash select one of the 128 partitions.
  private static let partitionShift: UInt64 = 57

  /// Creates an empty stager for a table.
  init(_ table: SequenceTable) {
    self.table = table
    columns = table.columns
    staged = .allocate(capacity: SequenceTable.partitions)
    for partition in 0..<SequenceTable.partitions { (staged + partition).initialize(to: StagedRows()) }
  }

  deinit {
    staged.deinitialize(count: SequenceTable.partitions)
    staged.deallocate()
  }

  /// Adds the rows of a block, flushing full buffers.
  ///
  /// - Parameter meanings: The flow matches of each match set, by the thread's own match set ID; it only grows from
  ///   call to call.
  /// - Throws: The error of the table.
  mutating func add(_ rows: borrowing EventRows, meanings: [[EventClassTable.Claim]]) throws(FunnelError) {
    while sharedMeanings.count < meanings.count {
      let matches = meanings[sharedMeanings.count]
      sharedMeanings.append(table.sharedMeaning(of: matches))
      countsByAttempt.append(matches.contains { table.countsByAttempt(Int($0.entry.flow)) })
    }
    while sharedDimensions.count < rows.dimensionRows.count {
      sharedDimensions.append(table.sharedDimensions(of: rows.dimensionRows[sharedDimensions.count]))
    }
    while sharedNames.count < rows.counts.contents.numberCount {
      sharedNames.append(table.sharedName(rows.counts.contents.name(of: sharedNames.count)))
    }
    let hasDimensions = columns.dimensions
    let hasDetails = columns.details
    let read = rows.rows
    for index in 0..<read.count {
      var row = read[index]
      let partition = Int(truncatingIfNeeded: row.subject.high >> Self.partitionShift)
      if row.attempt != 0, !countsByAttempt[Int(row.meaning)] { row.attempt = 0 }
      row.meaning = sharedMeanings[Int(row.meaning)]
      row.name = UInt32(sharedNames[Int(row.name)])
      if hasDimensions { row.dimensions = sharedDimensions[Int(row.dimensions)] }
      let target = staged + partition
      let count = target.pointee.count
      target.pointee.rows[count] = row
      if hasDetails { add(rows.details[index], of: rows, to: target) }
      target.pointee.count = count &+ 1
      if count &+ 1 == StagedRows.capacity || target.pointee.texts.count > StagedRows.textBytesTarget { try flush(partition) }
    }
  }

  private func add(_ detail: EventRowDetail, of rows: borrowing EventRows, to target: UnsafeMutablePointer<StagedRows>) {
    var detail = detail
    let byteCount = detail.textByteCount
    let source = detail.text
    detail.text = target.pointee.texts.count
    target.pointee.texts.append(contentsOf: rows.texts[source..<source + byteCount])
    target.pointee.details[target.pointee.count] = detail
  }

  private func flush(_ partition: Int) throws(FunnelError) {
    try table.add((staged + partition).pointee, to: partition)
    (staged + partition).pointee.count = 0
    // Storage that grew for a long record is freed. Otherwise it would remain in every partition.
    let isUsual = (staged + partition).pointee.texts.capacity <= 2 * StagedRows.textBytesTarget
    (staged + partition).pointee.texts.removeAll(keepingCapacity: isUsual)
  }

  /// Flushes all buffers. Call it once, after the last block.
  ///
  /// - Throws: The error of the table.
  func finish() throws(FunnelError) {
    for partition in 0..<SequenceTable.partitions where (staged + partition).pointee.count > 0 { try flush(partition) }
  }
}
