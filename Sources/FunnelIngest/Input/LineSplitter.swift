import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Splits a stream of bytes into blocks of whole lines, with bounded memory however long a line is.
///
/// The stream is read or inflated directly into the buffer of the next block: only the bytes behind the last line break are copied.
package struct LineSplitter: RecordSplitter {
  private var place: LineBlock.Place
  /// The buffer, which begins with `count` bytes that were read and belong to no block yet; the bytes behind them are undefined.
  private var buffer: BlockMemory
  private var count = 0
  /// The number of line breaks in those bytes, counted while the bytes are in the processor's cache.
  private var lineBreakCount = 0
  /// The length so far and the last byte of a line that is too long, of which only the beginning is kept.
  private var overlong: (byteCount: Int, lastByte: UInt8?)?
  private var isAtStart = true
  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let pool: BlockPool

  /// Returns the maximum number of bytes that are read at once.
  private static func readBytes(blockBytesTarget: Int) -> Int { min(blockBytesTarget, 1 << 18) }

  /// Returns the size of a buffer: room for a block, for bytes read beyond it, for the rest of the block before, and for the padding.
  static func bufferByteCount(blockBytesTarget: Int) -> Int {
    blockBytesTarget + 2 * readBytes(blockBytesTarget: blockBytesTarget) + LineParser.paddingBytes
  }

  /// Creates a splitter for the bytes of one file.
  ///
  /// - Parameter countsLines: Whether the places of the blocks have line numbers.
  init(_ context: SplitterContext, countsLines: Bool) {
    self.countsLines = countsLines
    pool = context.pool
    place = context.place
    blockBytesTarget = context.blockBytesTarget
    buffer = pool.take()
  }

  /// Reads the next bytes of the stream into the buffer and returns the blocks they complete, or nil at the end of the stream.
  ///
  /// - Parameter read: Writes at least one byte and returns the number of bytes written, or 0 at the end.
  mutating func readOn(
    _ read: (UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  ) throws(FunnelError) -> [LineBlock]? {
    let free = count..<(count + Self.readBytes(blockBytesTarget: blockBytesTarget))
    if free.upperBound + LineParser.paddingBytes > buffer.byteCount { buffer.grow(to: 2 * buffer.byteCount, keeping: count) }
    let readCount = try read(buffer.space(free))
    guard readCount > 0 else { return nil }
    return take(readCount)
  }

  /// Takes bytes that were written behind those already taken, and returns the blocks they complete.
  private mutating func take(_ readCount: Int) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var added = count..<(count + readCount)
    if let seen = overlong {
      let end = buffer.bytes(0..<added.upperBound)[added].firstLineBreak
      let line = added.lowerBound..<(end ?? added.upperBound)
      overlong = (seen.byteCount + line.count, buffer.bytes(line).last ?? seen.lastByte)
      guard let end else { return blocks }
      blocks.append(takeOverlongLine(hasLineBreak: true))
      let rest = (end + 1)..<added.upperBound
      buffer.moveToFront(rest)
      added = 0..<rest.count
    }
    if countsLines { lineBreakCount += buffer.bytes(added)[...].lineBreakCount }
    count = added.upperBound
    skipMark()
    guard count >= blockBytesTarget else { return blocks }
    takeWholeLines(into: &blocks)
    // One more byte may be the carriage return of a line break whose line feed was not read yet.
    if count > Limits.lineBytesMax + 1 {
      overlong = (count, buffer.bytes(0..<count).last)
      count = Limits.deadLetterRawBytesMax
    }
    return blocks
  }

  /// Returns the last blocks: the bytes that belong to no block yet.
  mutating func finish(damage: Rejection?) -> [LineBlock] {
    var blocks: [LineBlock] = []
    if overlong != nil {
      blocks = [takeOverlongLine(hasLineBreak: false)]
    } else if damage == nil {
      if count > 0 { takeBlocks(count, into: &blocks) }
    } else {
      takeWholeLines(into: &blocks)
    }
    if let damage {
      blocks.append(block(at: place, .damagedTail(damage), bytes: buffer.bytes(0..<count)))
    }
    return blocks
  }

  private func block(at place: LineBlock.Place, _ content: LineBlock.Content, bytes: UnsafeRawBufferPointer) -> LineBlock {
    var block = LineBlock(place: place, content: content, bytes: bytes)
    block.hasLineNumbers = countsLines
    return block
  }

  /// Returns the buffer to the pool; nothing may be read afterwards.
  func close() { pool.give(buffer) }

  /// Skips a byte order mark at the start of a file, which is allowed and no part of the first line.
  private mutating func skipMark() {
    guard isAtStart, count >= 3 else { return }
    isAtStart = false
    guard buffer.bytes(0..<3).elementsEqual([0xEF, 0xBB, 0xBF]) else { return }
    buffer.moveToFront(3..<count)
    count -= 3
    place.byteOffset += 3
  }

  private mutating func takeWholeLines(into blocks: inout [LineBlock]) {
    if let end = buffer.bytes(0..<count)[...].lastLineBreak { takeBlocks(end + 1, into: &blocks) }
  }

  /// Takes whole lines as one block, or as several if they are very many.
  private mutating func takeBlocks(_ byteCount: Int, into blocks: inout [LineBlock]) {
    isAtStart = false
    var lines = lineBreakCount
    // The bytes behind the last whole line have no line break.
    lineBreakCount = 0
    guard lines > Limits.blockLinesMax else { return blocks.append(takeBuffer(byteCount, lines: lines)) }
    var start = 0
    while start < byteCount {
      let lineCount = min(lines, Limits.blockLinesMax)
      let end = lineCount < lines ? buffer.bytes(0..<count)[start...].end(ofLines: lineCount) : byteCount
      blocks.append(block(at: advance(by: end - start, lines: lineCount), .lines, bytes: buffer.bytes(start..<end)))
      lines -= lineCount
      start = end
    }
    buffer.moveToFront(byteCount..<count)
    count -= byteCount
  }

  /// Takes whole lines together with their buffer: only the rest behind the last line break is copied, which is short.
  private mutating func takeBuffer(_ byteCount: Int, lines: Int) -> LineBlock {
    let rest = buffer.bytes(byteCount..<count)
    let taken = buffer
    buffer = pool.take()
    if buffer.byteCount < rest.count { buffer = BlockMemory(byteCount: taken.byteCount) }
    buffer.space(0..<rest.count).copyMemory(from: rest)
    count = rest.count
    var block = LineBlock(
      place: advance(by: byteCount, lines: lines), content: .lines, memory: taken, byteCount: byteCount)
    block.hasLineNumbers = countsLines
    return block
  }

  /// Advances the place past a block and returns the place of the block.
  private mutating func advance(by byteCount: Int, lines: Int) -> LineBlock.Place {
    defer {
      place.line += lines
      place.byteOffset += byteCount
    }
    return place
  }

  private mutating func takeOverlongLine(hasLineBreak: Bool) -> LineBlock {
    let (lineCount, lastByte) = overlong ?? (count, buffer.bytes(0..<count).last)
    let lineByteCount = lastByte == UInt8(ascii: "\r") ? lineCount - 1 : lineCount
    let block = block(at: place, .overlongLine(totalByteCount: lineByteCount), bytes: buffer.bytes(0..<count))
    place.line += 1
    place.byteOffset += lineCount + (hasLineBreak ? 1 : 0)
    count = 0
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

  /// The index of the last line break. The search begins at the end, because the line break is near there unless lines are very long.
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

  /// Returns the index behind the first `count` lines, which must be there.
  fileprivate func end(ofLines count: Int) -> Int {
    var end = startIndex
    for _ in 0..<count { end = (self[end...].firstLineBreak ?? endIndex - 1) + 1 }
    return end
  }

  /// The number of line breaks, counted sixteen bytes at a time.
  fileprivate var lineBreakCount: Int {
    let bytes = UnsafeRawBufferPointer(rebasing: self)
    let breaks = SIMD16<UInt8>(repeating: 10)
    var total = 0
    var offset = 0
    while offset + 16 <= bytes.count {
      // A lane counts up to 255, so the lanes are summed after 255 strides.
      let end = Swift.min(offset + 16 * 255, bytes.count - 15)
      var readerSlots = SIMD16<UInt8>()
      while offset < end {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        readerSlots &+= SIMD16<UInt8>().replacing(with: 1, where: word .== breaks)
        offset += 16
      }
      for readerSlot in 0..<16 { total += Int(readerSlots[readerSlot]) }
    }
    for index in offset..<bytes.count where bytes[index] == 10 { total += 1 }
    return total
  }
}
