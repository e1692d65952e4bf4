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
  /// Line breaks in `pending`, counted while the bytes are in the processor's cache.
  private var pendingLineBreaks = 0
  /// Length so far of a line that is too long, whose beginning alone is in `pending`, and the last byte of it.
  private var overlong: (byteCount: Int, lastByte: UInt8?)?
  private var isAtStart = true
  private let blockBytesTarget: Int
  private let countsLines: Bool

  /// - Parameter countsLines: Whether the blocks' places know their line.
  package init(file: String, blockBytesTarget: Int = Limits.memberRawBytesTarget, countsLines: Bool = true) {
    self.countsLines = countsLines
    place = LineBlock.Place(file: file, line: 1, byteOffset: 0)
    self.blockBytesTarget = blockBytesTarget
    pending.reserveCapacity(blockBytesTarget * 2 + LineParser.paddingBytes)
  }

  /// Takes in the next bytes of the stream and gives the blocks they complete.
  package mutating func split(_ chunk: UnsafeRawBufferPointer) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var rest = chunk[...]
    while let seen = overlong, !rest.isEmpty {
      let line = rest[..<(rest.firstLineBreak ?? rest.endIndex)]
      overlong = (seen.byteCount + line.count, line.last ?? seen.lastByte)
      guard line.endIndex < rest.endIndex else { return blocks }
      blocks.append(takeOverlongLine(hasLineBreak: true))
      rest = rest[(line.endIndex + 1)...]
    }
    pending.append(contentsOf: rest)
    if countsLines { pendingLineBreaks += rest.lineBreakCount }
    skipMark()
    guard pending.count >= blockBytesTarget else { return blocks }
    if let end = pending.withUnsafeBytes({ $0[...].lastLineBreak }) { takeBlocks(end + 1, into: &blocks) }
    // One byte more may be the carriage return of a line break whose line feed is still to come.
    if pending.count > Limits.lineBytesMax + 1 {
      overlong = (pending.count, pending.last)
      pending.removeSubrange(Limits.deadLetterRawBytesMax...)
    }
    return blocks
  }

  /// The last block: what stands behind the last line break.
  package mutating func finish() -> [LineBlock] {
    if overlong != nil { return [takeOverlongLine(hasLineBreak: false)] }
    var blocks: [LineBlock] = []
    if !pending.isEmpty { takeBlocks(pending.count, into: &blocks) }
    return blocks
  }

  /// The last blocks of a gzip file that could be inflated no further.
  package mutating func finish(damage: String) -> [LineBlock] {
    if overlong != nil {
      return finish() + [LineBlock(place: place, content: .damagedTail(message: damage), bytes: [])]
    }
    var blocks: [LineBlock] = []
    if let end = pending.withUnsafeBytes({ $0[...].lastLineBreak }) { takeBlocks(end + 1, into: &blocks) }
    blocks.append(LineBlock(place: place, content: .damagedTail(message: damage), bytes: pending))
    return blocks
  }

  /// A byte order mark at the start of a file is fine and no part of the first line.
  private mutating func skipMark() {
    guard isAtStart, pending.count >= 3 else { return }
    isAtStart = false
    guard pending.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    pending.removeFirst(3)
    place.byteOffset += 3
  }

  /// Takes whole lines as one block, or as several where they are very many.
  private mutating func takeBlocks(_ count: Int, into blocks: inout [LineBlock]) {
    // What stays has none.
    var lines = pendingLineBreaks
    pendingLineBreaks = 0
    var rest = count
    while lines > Limits.blockLinesMax {
      let end = pending.withUnsafeBytes { $0[...].end(ofLines: Limits.blockLinesMax) }
      blocks.append(takeLines(end, lines: Limits.blockLinesMax))
      lines -= Limits.blockLinesMax
      rest -= end
    }
    if rest > 0 { blocks.append(takeLines(rest, lines: lines)) }
  }

  private mutating func takeLines(_ count: Int, lines: Int) -> LineBlock {
    isAtStart = false
    let start = place
    place.line += lines
    place.byteOffset += count
    // The block takes the memory over: what is left behind the last line break is short.
    var taken: [UInt8] = []
    taken.reserveCapacity(blockBytesTarget * 2 + LineParser.paddingBytes)
    taken += pending[count...]
    swap(&taken, &pending)
    taken.removeSubrange(count...)
    return LineBlock(place: start, content: .lines, takingOver: taken)
  }

  private mutating func takeOverlongLine(hasLineBreak: Bool) -> LineBlock {
    let (count, lastByte) = overlong ?? (pending.count, pending.last)
    let lineByteCount = lastByte == UInt8(ascii: "\r") ? count - 1 : count
    let block = LineBlock(place: place, content: .overlongLine(totalByteCount: lineByteCount), bytes: pending)
    place.line += 1
    place.byteOffset += count + (hasLineBreak ? 1 : 0)
    pending.removeAll(keepingCapacity: true)
    overlong = nil
    return block
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The index of the first line break.
  var firstLineBreak: Int? {
    guard let start = UnsafeRawBufferPointer(rebasing: self).baseAddress, let found = memchr(start, 10, count) else {
      return nil
    }
    return startIndex + (UnsafeRawPointer(found) - start)
  }

  /// The index of the last line break, looked for from the end: it is near there, but for lines that are very long.
  var lastLineBreak: Int? {
    var end = endIndex
    while end > startIndex {
      let start = Swift.max(startIndex, end - 1024)
      if var last = self[start..<end].firstLineBreak {
        while let next = self[(last + 1)..<end].firstLineBreak { last = next }
        return last
      }
      end = start
    }
    return nil
  }

  /// The index behind so many lines, of which there are enough.
  fileprivate func end(ofLines count: Int) -> Int {
    var end = startIndex
    for _ in 0..<count { end = (self[end...].firstLineBreak ?? endIndex - 1) + 1 }
    return end
  }

  /// How many line breaks there are, sixteen bytes at a time.
  fileprivate var lineBreakCount: Int {
    let bytes = UnsafeRawBufferPointer(rebasing: self)
    let breaks = SIMD16<UInt8>(repeating: 10)
    var total = 0
    var offset = 0
    while offset + 16 <= bytes.count {
      // A lane counts to 255 before it is added up.
      let end = Swift.min(offset + 16 * 255, bytes.count - 15)
      var lanes = SIMD16<UInt8>()
      while offset < end {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        lanes &+= SIMD16<UInt8>().replacing(with: 1, where: word .== breaks)
        offset += 16
      }
      for lane in 0..<16 { total += Int(lanes[lane]) }
    }
    for index in offset..<bytes.count where bytes[index] == 10 { total += 1 }
    return total
  }
}
