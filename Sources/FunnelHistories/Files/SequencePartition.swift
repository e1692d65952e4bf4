import FunnelIngest
import FunnelModel
import FunnelSystem

/// The events of one hash partition of the subjects, as rows in arrival order, in memory or spilled to a file.
///
/// Any thread may add or spill rows. One thread reads them after all were added.
// Unchecked because the lock protects the chunks while rows are added, and no rows are added while they are read.
final class SequencePartition: @unchecked Sendable {
  private let lock = Guarded(())
  private let columns: RowColumns
  private let arena: RowArena
  private(set) var subjects = SubjectNumbers()
  private var chunks: [RowChunk] = []
  private var spilled: [SpilledChunk] = []
  private(set) var rowCount = 0
  /// Scratch memory for the subject numbers of the rows being added.
  private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: StagedRows.capacity)

  /// A chunk that has been written to a file.
  private struct SpilledChunk {
    var rows: SpillFile.Place
    var attempts: SpillFile.Place?
    var texts: SpillFile.Place?
    var count: Int
  }

  /// Creates an empty partition whose chunks have the given columns.
  init(_ columns: RowColumns, in arena: RowArena) {
    self.columns = columns
    self.arena = arena
  }

  deinit { numbers.deallocate() }

  /// Adds staged rows, whose IDs must be those that all workers share (``SequenceStager``).
  func add(_ staged: borrowing StagedRows) {
    lock.withLock { _ in
      var done = 0
      let subjectBytes = subjects.byteCount
      while done < staged.count {
        if chunks.last?.isFull ?? true { chunks.append(RowChunk(columns, in: arena)) }
        let chunk = chunks[chunks.count - 1]
        let count = min(staged.count - done, RowChunk.capacity - chunk.count)
        add(staged, done..<done + count, to: chunk)
        done += count
      }
      rowCount += staged.count
      if subjects.byteCount > subjectBytes { arena.addBytes(subjects.byteCount - subjectBytes) }
    }
  }

  @inline(__always)
  private func add(_ staged: borrowing StagedRows, _ range: Range<Int>, to chunk: RowChunk) {
    let rows = chunk.rows
    let columns = columns
    var target = chunk.count
    subjects.count(staged.rows + range.lowerBound, count: range.count, numbers: numbers)
    for index in range {
      let row = staged.rows[index]
      CompactRow(
        subject: numbers[index &- range.lowerBound], identity: row.identity, milliseconds: row.milliseconds,
        meaning: row.meaning
      ).write(to: rows + target &* CompactRow.byteCount)
      target &+= 1
    }
    let eventNames = chunk.eventNames + chunk.count
    for index in range { eventNames[index &- range.lowerBound] = UInt16(truncatingIfNeeded: staged.rows[index].name) }
    if columns.dimensions {
      for index in range { chunk.dimensions[chunk.count + index - range.lowerBound] = staged.rows[index].dimensions }
    }
    if columns.attempts {
      for index in range where staged.rows[index].attempt != 0 {
        chunk.makeAttempts()[chunk.count + index - range.lowerBound] = staged.rows[index].attempt
      }
    }
    if columns.details {
      for index in range { addDetail(staged, index, to: chunk, at: chunk.count + index - range.lowerBound) }
    }
    chunk.count = target
  }

  private func addDetail(_ staged: borrowing StagedRows, _ index: Int, to chunk: RowChunk, at target: Int) {
    let detail = staged.details[index]
    let byteCount = detail.textByteCount
    let text = staged.texts.withUnsafeBytes {
      chunk.appendTexts(UnsafeRawBufferPointer(rebasing: $0[detail.text..<detail.text + byteCount]))
    }
    chunk.details[target] = RowDetail(
      milliseconds: staged.rows[index].milliseconds, sequence: detail.sequence, text: text,
      recordByteCount: detail.recordByteCount, meaning: staged.rows[index].meaning,
      idByteCount: detail.idByteCount, nameByteCount: detail.nameByteCount, subjectByteCount: detail.subjectByteCount,
      attemptByteCount: detail.attemptByteCount, hasAttempt: detail.hasAttempt)
  }

  /// Writes all full chunks to a file and frees their memory.
  ///
  /// - Throws: The error of the file.
  func spill(to file: SpillFile) throws(FunnelError) {
    let full = lock.withLock { _ in
      let full = chunks.filter(\.isFull)
      chunks.removeAll(where: \.isFull)
      return UncheckedChunks(chunks: full)
    }
    var written: [SpilledChunk] = []
    for chunk in full.chunks {
      let rows = try file.append(UnsafeRawBufferPointer(start: chunk.bytes, count: RowChunk.byteCount(columns)))
      let attempts = try chunk.attempts.map { (attempts) throws(FunnelError) in
        try file.append(UnsafeRawBufferPointer(start: attempts, count: RowChunk.attemptBytes))
      }
      let texts = try chunk.texts.map { (texts) throws(FunnelError) in
        try file.append(UnsafeRawBufferPointer(start: texts, count: chunk.textCount))
      }
      written.append(SpilledChunk(rows: rows, attempts: attempts, texts: texts, count: chunk.count))
    }
    lock.withLock { _ in spilled += written }
  }

  private struct UncheckedChunks: @unchecked Sendable {
    var chunks: [RowChunk]
  }

  /// Calls `body` with each chunk, reading spilled chunks back into memory.
  ///
  /// A chunk that was read back is freed when `body` no longer holds a reference to it.
  ///
  /// - Throws: The error of the file.
  func forEachChunk(_ file: SpillFile, _ body: (RowChunk) -> Void) throws(FunnelError) {
    for stored in spilled {
      let chunk = RowChunk(columns, in: arena)
      chunk.count = stored.count
      try file.read(stored.rows, into: chunk.bytes)
      if let attempts = stored.attempts { try file.read(attempts, into: chunk.makeAttempts()) }
      if let texts = stored.texts, let room = chunk.reserveTexts(texts.byteCount) { try file.read(texts, into: room) }
      body(chunk)
    }
    for chunk in chunks { body(chunk) }
  }
}

/// A worker's buffer of rows for one partition, which are added to the partition in one batch to take its lock rarely.
struct StagedRows: ~Copyable {
  /// The largest number of rows.
  static let capacity = 64
  /// The number of bytes of text above which the rows are flushed, even if the buffer has room for more rows.
  static let textBytesTarget = 64 << 10

  let rows = UnsafeMutablePointer<EventRow>.allocate(capacity: capacity)
  /// The details of each row; uninitialized unless `RowColumns.details` is set.
  let details = UnsafeMutablePointer<EventRowDetail>.allocate(capacity: capacity)
  /// The texts that ``details`` refer to.
  var texts: [UInt8] = []
  /// The number of rows.
  var count = 0

  deinit {
    rows.deallocate()
    details.deallocate()
  }
}
