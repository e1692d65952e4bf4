internal import FunnelIndex

/// The subject and attempt texts of the event sequence that a sorter is producing, read from the chunks of the partition.
///
/// The sorter updates it for each event sequence. Not thread-safe: each sorter owns one.
final class SortedNames: SequenceNames {
  /// The chunks of the partition, in row order.
  private let chunks: [RowChunk]
  /// The user of the events, or `nil` if they have none.
  var user: String?
  /// The row index of each event of the sequence.
  private var rowIndices: [UInt32] = []

  init(_ chunks: [RowChunk]) {
    self.chunks = chunks
  }

  /// Starts the next sequence.
  func removeAll() { rowIndices.removeAll(keepingCapacity: true) }

  /// Appends the row index of the sequence's next event.
  func append(row: UInt32) { rowIndices.append(row) }

  var subject: String {
    let (chunk, detail) = row(ofEvent: 0)
    return chunk.text(at: detail.subjectStart, count: Int(detail.subjectByteCount)).string
  }

  var person: String { user ?? subject }
  var aliases: [String] { (user.map { [$0] } ?? []) + [subject] }

  func attempt(ofEvent index: Int) -> String? {
    let (chunk, detail) = row(ofEvent: index)
    return detail.hasAttempt ? chunk.text(at: detail.attemptStart, count: Int(detail.attemptByteCount)).string : nil
  }

  private func row(ofEvent index: Int) -> (chunk: RowChunk, detail: RowDetail) {
    precondition(index >= 0 && index < rowIndices.count, "an event of the sequence has names")
    let row = Int(rowIndices[index])
    let chunk = chunks[row / RowChunk.capacity]
    return (chunk, chunk.detail(of: row % RowChunk.capacity))
  }
}
