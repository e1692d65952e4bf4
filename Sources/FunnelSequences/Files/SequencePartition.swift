import FunnelDecoding
import FunnelIndex
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
  private(set) var subjects = SubjectTable(batchMax: StagedRows.capacity)
  private var chunks: [RowChunk] = []
  private var spilled: [RowChunk.Spilled] = []
  private(set) var rowCount = 0

  /// Creates an empty partition whose chunks have the given columns.
  init(_ columns: RowColumns, in arena: RowArena) {
    self.columns = columns
    self.arena = arena
  }

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
    let columns = columns
    let start = chunk.count &- range.lowerBound
    subjects.countEvents(of: staged, range)
    let subjectIDs = subjects.lastIDs
    for index in range {
      let row = staged[index]
      chunk.setRow(
        CompactRow(
          subject: subjectIDs[index &- range.lowerBound], identity: row.identity, milliseconds: row.milliseconds,
          matchListID: row.matchListID), at: start &+ index)
    }
    for index in range { chunk.setEventName(UInt16(truncatingIfNeeded: staged[index].name), at: start &+ index) }
    if columns.dimensions {
      for index in range { chunk.setDimensions(staged[index].dimensions, at: start &+ index) }
    }
    if columns.users {
      for index in range { chunk.setUser(staged[index].user, at: start &+ index) }
    }
    if columns.attempts {
      for index in range where staged[index].attempt != 0 { chunk.setAttempt(staged[index].attempt, at: start &+ index) }
    }
    if columns.details {
      for index in range { addDetail(staged, index, to: chunk, at: start &+ index) }
    }
    chunk.count &+= range.count
  }

  private func addDetail(_ staged: borrowing StagedRows, _ index: Int, to chunk: RowChunk, at target: Int) {
    let detail = staged.detail(of: index)
    let text = chunk.appendTexts(staged.texts(of: detail))
    chunk.setDetail(
      RowDetail(
        milliseconds: staged[index].milliseconds, sequence: detail.sequence, text: text,
        recordByteCount: detail.recordByteCount, matchListID: staged[index].matchListID,
        idByteCount: detail.idByteCount, nameByteCount: detail.nameByteCount, subjectByteCount: detail.subjectByteCount,
        attemptByteCount: detail.attemptByteCount, hasAttempt: detail.hasAttempt), at: target)
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
    var written: [RowChunk.Spilled] = []
    for chunk in full.chunks { written.append(try chunk.spill(to: file)) }
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
      body(try RowChunk(stored, columns, in: arena, from: file))
    }
    for chunk in chunks { body(chunk) }
  }
}
