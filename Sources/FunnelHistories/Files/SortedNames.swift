import FunnelIndex
import FunnelIngest
import FunnelModel

/// The texts of a subject and its attempts, in the chunks that a sorter read. It serves one history after another.
final class SortedNames: SequenceNames {
  /// The chunks, in the order of the positions of rows.
  var chunks: [RowChunk] = []
  /// The position of each event's row.
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
    let place = Int(places[index])
    let chunk = chunks[place / RowChunk.capacity]
    return (chunk, chunk.details[place % RowChunk.capacity])
  }

  /// Returns the offset of the subject.
  private func start(of detail: RowDetail) -> Int {
    Int(detail.text) + Int(detail.idByteCount) + Int(detail.nameByteCount) + Int(detail.recordByteCount)
  }

  private func text(of chunk: RowChunk, at start: Int, count: UInt8) -> String {
    String(decoding: UnsafeRawBufferPointer(start: chunk.texts.map { $0 + start }, count: Int(count)), as: UTF8.self)
  }
}
