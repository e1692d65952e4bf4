import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Cuts a stream of bytes into blocks of whole lines, with bounded memory however long a line is.
package struct LineSplitter {
  private var place: LineBlock.Place
  private var pending: [UInt8] = []
  /// Length so far of a line that is too long, whose beginning alone is in `pending`.
  private var overlongByteCount: Int?
  private var isAtStart = true
  private let blockBytesTarget: Int

  package init(file: String, blockBytesTarget: Int = Limits.memberRawBytesTarget) {
    place = LineBlock.Place(file: file, line: 1, byteOffset: 0)
    self.blockBytesTarget = blockBytesTarget
    pending.reserveCapacity(blockBytesTarget * 2)
  }

  /// Takes in the next bytes of the stream and gives the blocks they complete.
  package mutating func split(_ chunk: UnsafeRawBufferPointer) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var rest = chunk[...]
    while let count = overlongByteCount, !rest.isEmpty {
      guard let end = rest.firstLineBreak else {
        overlongByteCount = count + rest.count
        return blocks
      }
      blocks.append(takeOverlongLine(totalByteCount: count + (end - rest.startIndex), hasLineBreak: true))
      rest = rest[(end + 1)...]
    }
    pending.append(contentsOf: rest)
    guard pending.count >= blockBytesTarget else { return blocks }
    if let end = pending.withUnsafeBytes({ $0[...].lastLineBreak }) {
      blocks.append(takeLines(end + 1))
    }
    if pending.count > Limits.lineBytesMax {
      overlongByteCount = pending.count
      pending.removeSubrange(Limits.deadLetterRawBytesMax...)
    }
    return blocks
  }

  /// The last block: what stands behind the last line break.
  package mutating func finish() -> LineBlock? {
    if let count = overlongByteCount { return takeOverlongLine(totalByteCount: count, hasLineBreak: false) }
    return pending.isEmpty ? nil : takeLines(pending.count)
  }

  /// The last blocks of a gzip file that could be inflated no further.
  package mutating func finish(damage: String) -> [LineBlock] {
    if overlongByteCount != nil { return [finish()!, LineBlock(place: place, content: .damagedTail(message: damage), bytes: [])] }
    var blocks: [LineBlock] = []
    if let end = pending.withUnsafeBytes({ $0[...].lastLineBreak }) { blocks.append(takeLines(end + 1)) }
    blocks.append(LineBlock(place: place, content: .damagedTail(message: damage), bytes: pending))
    return blocks
  }

  private mutating func takeLines(_ count: Int) -> LineBlock {
    // A byte order mark at the start of a file is fine and no part of the first line.
    let hasMark = isAtStart && pending.starts(with: [0xEF, 0xBB, 0xBF])
    isAtStart = false
    var start = place
    if hasMark { start.byteOffset += 3 }
    let block = LineBlock(place: start, content: .lines, bytes: pending[(hasMark ? 3 : 0)..<count])
    place.line += pending.withUnsafeBytes { $0[..<count].lineBreakCount }
    place.byteOffset += count
    pending.removeSubrange(..<count)
    return block
  }

  private mutating func takeOverlongLine(totalByteCount: Int, hasLineBreak: Bool) -> LineBlock {
    let block = LineBlock(place: place, content: .overlongLine(totalByteCount: totalByteCount), bytes: pending)
    isAtStart = false
    place.line += 1
    place.byteOffset += totalByteCount + (hasLineBreak ? 1 : 0)
    pending.removeAll(keepingCapacity: true)
    overlongByteCount = nil
    return block
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The index of the first line break.
  var firstLineBreak: Int? {
    guard let start = UnsafeRawBufferPointer(rebasing: self).baseAddress, let found = memchr(start, 10, count) else { return nil }
    return startIndex + (UnsafeRawPointer(found) - start)
  }

  fileprivate var lastLineBreak: Int? {
    lastIndex(of: 10)
  }

  fileprivate var lineBreakCount: Int {
    var total = 0
    var rest = self
    while let found = rest.firstLineBreak {
      total += 1
      rest = rest[(found + 1)...]
    }
    return total
  }
}
