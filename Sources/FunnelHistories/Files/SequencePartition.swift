import FunnelIngest
import FunnelModel
import FunnelSystem

/// The rows of one partition's subjects, in memory or spilled to a file. Workers add rows under the partition's lock.
final class SequencePartition: @unchecked Sendable {
  private let lock = Guarded(())
  private let columns: RowColumns
  private let arena: RowArena
  private(set) var subjects = SubjectNumbers()
  private var chunks: [RowChunk] = []
  private var spilled: [SpilledChunk] = []
  private(set) var rowCount = 0
  /// Scratch space for the subject numbers of the rows being added.
  private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: StagedRows.capacity)

  /// A chunk that has been written to a file.
  private struct SpilledChunk {
    var rows: SpillFile.Place
    var attempts: SpillFile.Place?
    var texts: SpillFile.Place?
    var count: Int
  }

  init(_ columns: RowColumns, in arena: RowArena) {
    self.columns = columns
    self.arena = arena
  }

  deinit { numbers.deallocate() }

  /// Adds staged rows, whose codes are already the ones shared by all workers.
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
    var place = chunk.count
    subjects.count(staged.rows + range.lowerBound, count: range.count, numbers: numbers)
    for index in range {
      let row = staged.rows[index]
      CompactRow(
        subject: numbers[index &- range.lowerBound], identity: row.identity, milliseconds: row.milliseconds,
        meaning: row.meaning
      ).write(to: rows + place &* CompactRow.byteCount)
      place &+= 1
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
    chunk.count = place
  }

  private func addDetail(_ staged: borrowing StagedRows, _ index: Int, to chunk: RowChunk, at place: Int) {
    let detail = staged.details[index]
    let byteCount = detail.textByteCount
    let text = staged.texts.withUnsafeBytes {
      chunk.appendTexts(UnsafeRawBufferPointer(rebasing: $0[detail.text..<detail.text + byteCount]))
    }
    chunk.details[place] = RowDetail(
      milliseconds: staged.rows[index].milliseconds, sequence: detail.sequence, text: text,
      recordByteCount: detail.recordByteCount, meaning: staged.rows[index].meaning,
      idByteCount: detail.idByteCount, nameByteCount: detail.nameByteCount, subjectByteCount: detail.subjectByteCount,
      attemptByteCount: detail.attemptByteCount, hasAttempt: detail.hasAttempt)
  }

  /// Moves all full chunks to a file.
  func spill(to file: SpillFile) throws(FunnelError) {
    let full = lock.withLock { _ in
      let full = chunks.filter(\.isFull)
      chunks.removeAll(where: \.isFull)
      return UncheckedChunks(chunks: full)
    }
    var places: [SpilledChunk] = []
    for chunk in full.chunks {
      let rows = try file.append(UnsafeRawBufferPointer(start: chunk.bytes, count: RowChunk.byteCount(columns)))
      let attempts = try chunk.attempts.map { (attempts) throws(FunnelError) in
        try file.append(UnsafeRawBufferPointer(start: attempts, count: RowChunk.attemptBytes))
      }
      let texts = try chunk.texts.map { (texts) throws(FunnelError) in
        try file.append(UnsafeRawBufferPointer(start: texts, count: chunk.textCount))
      }
      places.append(SpilledChunk(rows: rows, attempts: attempts, texts: texts, count: chunk.count))
    }
    lock.withLock { _ in spilled += places }
  }

  private struct UncheckedChunks: @unchecked Sendable {
    var chunks: [RowChunk]
  }

  /// Passes every chunk to a closure. A spilled chunk is read back into memory that is freed when the closure releases the chunk.
  func forEachChunk(_ file: SpillFile, _ body: (RowChunk) -> Void) throws(FunnelError) {
    for place in spilled {
      let chunk = RowChunk(columns, in: arena)
      chunk.count = place.count
      try file.read(place.rows, into: chunk.bytes)
      if let attempts = place.attempts { try file.read(attempts, into: chunk.makeAttempts()) }
      if let texts = place.texts, let room = chunk.reserveTexts(texts.byteCount) { try file.read(texts, into: room) }
      body(chunk)
    }
    for chunk in chunks { body(chunk) }
  }
}

/// The rows of one partition that a worker collects before it takes the partition's lock.
struct StagedRows: ~Copyable {
  static let capacity = 64
  /// The number of bytes of text at which rows are flushed, even if the buffer has room for more rows.
  static let textBytesTarget = 64 << 10

  let rows = UnsafeMutablePointer<EventRow>.allocate(capacity: capacity)
  let details = UnsafeMutablePointer<EventRowDetail>.allocate(capacity: capacity)
  var texts: [UInt8] = []
  var count = 0

  deinit {
    rows.deallocate()
    details.deallocate()
  }
}
