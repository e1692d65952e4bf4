import FunnelDecoding
import FunnelIndex
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
  private var staged = FixedArray(count: SequenceTable.partitions) { _ in StagedRows() }
  /// The shared match set ID plus one, or 0 without flow matches, by the thread's own ID.
  private var sharedFlowMatches: [UInt32] = []
  /// Whether some flow of the match set counts by attempt, by the thread's own match set ID.
  private var countsByAttempt: [Bool] = []
  /// The shared dimension row, by the thread's own.
  private var sharedDimensions: [UInt32] = []
  /// The shared number of each user, by the thread's own index, and the only subject that names it; `nil` if there are several.
  private var sharedUsers: [(number: UInt32, onlySubject: Hash128?)] = []
  /// The shared event name ID, by the thread's own.
  private var sharedNames: [UInt16] = []

  /// Creates an empty stager for a table.
  init(_ table: SequenceTable) {
    self.table = table
    columns = table.columns
  }

  /// Adds the rows of a block, flushing full buffers.
  ///
  /// - Parameter flowMatchLists: The flow matches of each match set, by the thread's own match set ID; it only grows from
  ///   call to call.
  /// - Throws: The error of the table.
  mutating func add(_ rows: borrowing EventRows, flowMatchLists: [[EventClassTable.FlowMatch]]) throws(FunnelError) {
    while sharedFlowMatches.count < flowMatchLists.count {
      let matches = flowMatchLists[sharedFlowMatches.count]
      sharedFlowMatches.append(table.sharedMatchSet(of: matches))
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
    let hasUsers = columns.users
    let read = rows.rows
    for index in 0..<read.count {
      var row = read[index]
      let partition = SequenceTable.partition(of: row.subject)
      if row.attempt != 0, !countsByAttempt[Int(row.matchListID)] { row.attempt = 0 }
      row.matchListID = sharedFlowMatches[Int(row.matchListID)]
      row.name = UInt32(sharedNames[Int(row.name)])
      if hasDimensions { row.dimensions = sharedDimensions[Int(row.dimensions)] }
      if hasUsers, row.user > 0 { row.user = sharedUser(rows.users[Int(row.user) - 1], at: Int(row.user) - 1, of: row.subject) }
      staged[partition].append(row)
      if hasDetails {
        let detail = rows.details[index]
        let texts = rows.texts.span.extracting(detail.text..<detail.text + detail.textByteCount)
        staged[partition].appendDetail(detail, texts: texts)
      }
      if staged[partition].isFull { try flush(partition) }
    }
  }

  /// Returns the shared number of a user, and notes the subject that names it.
  ///
  /// - Parameter index: The thread's own index of the user, at most the count of those seen.
  private mutating func sharedUser(_ user: LoggedUser, at index: Int, of subject: Hash128) -> UInt32 {
    if index == sharedUsers.count { sharedUsers.append((table.sharedUser(user, namedBy: subject), subject)) }
    if sharedUsers[index].onlySubject != subject { sharedUsers[index].onlySubject = nil }
    return sharedUsers[index].number
  }

  private mutating func flush(_ partition: Int) throws(FunnelError) {
    try table.add(staged[partition], to: partition)
    staged[partition].removeAll()
  }

  /// Flushes all buffers. Call it once, after the last block.
  ///
  /// - Throws: The error of the table.
  mutating func finish() throws(FunnelError) {
    for partition in 0..<SequenceTable.partitions where staged[partition].count > 0 { try flush(partition) }
    table.note(sharedUsers)
  }
}
