import FunnelIngest
import FunnelModel

/// Collects one worker's rows by partition, translates them to the codes that all workers share, and flushes them to the table.
struct SequenceStager: ~Copyable {
  private let table: SequenceTable
  private let columns: RowColumns
  private let staged: UnsafeMutablePointer<StagedRows>
  /// The shared meanings, indexed by the worker's own numbers; 0 for events that no journey wants.
  private var sharedMeanings: [UInt32] = []
  private var countsByAttempt: [Bool] = []
  private var sharedDimensions: [UInt32] = []
  /// The shared numbers of names, indexed by the worker's own.
  private var sharedNames: [UInt16] = []

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

  /// Adds the rows of a block.
  mutating func add(_ rows: borrowing EventRows, meanings: [[EventClassTable.Claim]]) throws(FunnelError) {
    while sharedMeanings.count < meanings.count {
      let claims = meanings[sharedMeanings.count]
      sharedMeanings.append(table.sharedMeaning(of: claims))
      countsByAttempt.append(claims.contains { table.countsByAttempt(Int($0.entry.flow)) })
    }
    while sharedDimensions.count < rows.dimensionRows.count {
      sharedDimensions.append(table.sharedDimensions(of: rows.dimensionRows[sharedDimensions.count]))
    }
    while sharedNames.count < rows.counts.contents.numberCount {
      sharedNames.append(table.sharedName(rows.counts.contents.name(of: sharedNames.count)))
    }
    let (hasDimensions, hasDetails) = (columns.dimensions, columns.details)
    let read = rows.rows
    for index in 0..<read.count {
      var row = read[index]
      let partition = Int(truncatingIfNeeded: row.subject.high >> 57)
      if row.attempt != 0, !countsByAttempt[Int(row.meaning)] { row.attempt = 0 }
      row.meaning = sharedMeanings[Int(row.meaning)]
      row.name = UInt32(sharedNames[Int(row.name)])
      if hasDimensions { row.dimensions = sharedDimensions[Int(row.dimensions)] }
      let target = staged + partition
      let place = target.pointee.count
      target.pointee.rows[place] = row
      if hasDetails { add(rows.details[index], of: rows, to: target) }
      target.pointee.count = place &+ 1
      if place &+ 1 == StagedRows.capacity || target.pointee.texts.count > StagedRows.textBytesTarget { try flush(partition) }
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
    // Storage grown for a long record is released, so that not every partition keeps it.
    let isUsual = (staged + partition).pointee.texts.capacity <= 2 * StagedRows.textBytesTarget
    (staged + partition).pointee.texts.removeAll(keepingCapacity: isUsual)
  }

  /// Flushes all rows that are still staged.
  func finish() throws(FunnelError) {
    for partition in 0..<SequenceTable.partitions where (staged + partition).pointee.count > 0 { try flush(partition) }
  }
}
