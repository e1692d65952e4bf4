import FunnelIndex
import FunnelIngest
import FunnelModel

/// The subject and attempt texts of the event sequence that a sorter is producing, read from the chunks of the partition.
///
/// The sorter updates it for each event sequence. Not thread-safe: each sorter owns one.
final class SortedNames: SequenceNames {
  /// The chunks of the partition, in row order.
  var chunks: [RowChunk] = []
  /// The row index of each event of the sequence.
  var places: [UInt32] = []

  var subject: String {
    let (chunk, detail) = row(ofEvent: 0)
    return text(of: chunk, at: start(of: detail), count: detail.subjectByteCount)
  }

  func attempt(ofEvent index: Int) -> String? {
    let (chunk, detail) = row(ofEvent: index)
    guard detail.hasAttempt else { return nil }
    return text(of: chunk, at: start(of: detail) + Int(detail.subjectByteCount), count: detail.attemptByteCount)
  }

  private func row(ofEvent index: Int) -> (RowChunk, RowDetail) {
    let row = Int(places[index])
    let chunk = chunks[row / RowChunk.capacity]
    return (chunk, chunk.details[row % RowChunk.capacity])
  }

  /// Returns the offset of the subject in the chunk's texts, in bytes.
  private func start(of detail: RowDetail) -> Int {
    Int(detail.text) + Int(detail.idByteCount) + Int(detail.nameByteCount) + Int(detail.recordByteCount)
  }

  private func text(of chunk: RowChunk, at start: Int, count: UInt8) -> String {
    String(decoding: UnsafeRawBufferPointer(start: chunk.texts.map { $0 + start }, count: Int(count)), as: UTF8.self)
  }
}
