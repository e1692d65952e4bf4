import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Splits a byte stream into blocks of whole lines. Its memory is bounded for lines of any length.
///
/// The stream is read or decompressed directly into the buffer of the next block. Only the bytes after the last
/// line break are copied.
package struct LineSplitter: RecordSplitter {
  /// The position of the buffer's first byte.
  private var place: LineBlock.Place
  /// The bytes that were read and are not in a block yet, followed by undefined bytes.
  private var buffer: BlockMemory
  /// The number of bytes in the buffer.
  private var count = 0
  /// The number of line breaks in the buffer. Bytes are counted as they are read, while they are in the
  /// processor's cache.
  private var lineBreakCount = 0
  /// The length so far and the last byte of a line that is too long, or `nil` if the line is not. The buffer
  /// contains only its beginning.
  private var overlong: (byteCount: Int, lastByte: UInt8?)?
  /// Whether a byte order mark may follow.
  private var isAtStart = true
  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let pool: BlockPool

  /// Returns the maximum number of bytes that are read at once.
  private static func readBytes(blockBytesTarget: Int) -> Int { min(blockBytesTarget, 1 << 18) }

  /// Returns the size of a buffer in bytes. It has room for the remainder of the previous block, a block, the
  /// bytes read beyond it, and the padding.
  static func bufferByteCount(blockBytesTarget: Int) -> Int {
    blockBytesTarget + 2 * readBytes(blockBytesTarget: blockBytesTarget) + LineParser.paddingBytes
  }

  /// Creates a splitter for the bytes of one file.
  ///
  /// - Parameter countsLines: Whether the positions of the blocks have line numbers.
  init(_ context: SplitterContext, countsLines: Bool) {
    self.countsLines = countsLines
    pool = context.pool
    place = context.place
    blockBytesTarget = context.blockBytesTarget
    buffer = pool.take()
  }

  /// Reads the next bytes of the stream and returns the blocks that they complete, or `nil` at the end of the stream.
  ///
  /// - Parameter read: Writes bytes into a buffer and returns their number, or 0 at the end of the stream.
  mutating func readOn(
    _ read: (UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  ) throws(FunnelError) -> [LineBlock]? {
    let free = count..<(count + Self.readBytes(blockBytesTarget: blockBytesTarget))
    if free.upperBound + LineParser.paddingBytes > buffer.byteCount { buffer.grow(to: 2 * buffer.byteCount, keeping: count) }
    let readCount = try read(buffer.space(free))
    guard readCount > 0 else { return nil }
    return take(readCount)
  }

  /// Processes bytes that were read into the buffer, and returns the blocks that they complete.
  private mutating func take(_ readCount: Int) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var added = count..<(count + readCount)
    if let seen = overlong {
      let end = buffer.bytes(0..<added.upperBound)[added].firstLineBreak
      let line = added.lowerBound..<(end ?? added.upperBound)
      overlong = (seen.byteCount + line.count, buffer.bytes(line).last ?? seen.lastByte)
      guard let end else { return blocks }
      blocks.append(takeOverlongLine(hasLineBreak: true))
      let remainder = (end + 1)..<added.upperBound
      buffer.moveToFront(remainder)
      added = 0..<remainder.count
    }
    if countsLines { lineBreakCount += buffer.bytes(added)[...].lineBreakCount }
    count = added.upperBound
    skipMark()
    guard count >= blockBytesTarget else { return blocks }
    takeWholeLines(into: &blocks)
    // The last byte may be the carriage return of a line break whose line feed is not read yet.
    if count > Limits.lineBytesMax + 1 {
      overlong = (count, buffer.bytes(0..<count).last)
      count = Limits.deadLetterRawBytesMax
    }
    return blocks
  }

  /// Returns the last blocks, which contain the remaining bytes.
  ///
  /// - Parameter damage: The reason why the stream could not be read to its end, or `nil` if it was.
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

  /// Returns a block with a copy of bytes.
  private func block(at place: LineBlock.Place, _ content: LineBlock.Content, bytes: UnsafeRawBufferPointer) -> LineBlock {
    var block = LineBlock(place: place, content: content, bytes: bytes)
    block.hasLineNumbers = countsLines
    return block
  }

  /// Returns the buffer to the pool. The splitter must not be used afterwards.
  func close() { pool.give(buffer) }

  /// Skips a byte order mark at the start of a file.
  private mutating func skipMark() {
    guard isAtStart, count >= 3 else { return }
    isAtStart = false
    guard buffer.bytes(0..<3).elementsEqual([0xEF, 0xBB, 0xBF]) else { return }
    buffer.moveToFront(3..<count)
    count -= 3
    place.byteOffset += 3
  }

  /// Moves all whole lines from the buffer to blocks.
  private mutating func takeWholeLines(into blocks: inout [LineBlock]) {
    if let end = buffer.bytes(0..<count)[...].lastLineBreak { takeBlocks(end + 1, into: &blocks) }
  }

  /// Moves whole lines from the buffer to one block, or to several if there are more than ``Limits/blockLinesMax``.
  private mutating func takeBlocks(_ byteCount: Int, into blocks: inout [LineBlock]) {
    isAtStart = false
    var lines = lineBreakCount
    // The bytes after the last whole line contain no line break.
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

  /// Returns a block that owns the current buffer, and copies the bytes after its lines to a new buffer.
  private mutating func takeBuffer(_ byteCount: Int, lines: Int) -> LineBlock {
    let remainder = buffer.bytes(byteCount..<count)
    let taken = buffer
    buffer = pool.take()
    if buffer.byteCount < remainder.count { buffer = BlockMemory(byteCount: taken.byteCount) }
    buffer.space(0..<remainder.count).copyMemory(from: remainder)
    count = remainder.count
    var block = LineBlock(
      place: advance(by: byteCount, lines: lines), content: .lines, memory: taken, byteCount: byteCount)
    block.hasLineNumbers = countsLines
    return block
  }

  /// Advances the position past a block, and returns the position of the block.
  private mutating func advance(by byteCount: Int, lines: Int) -> LineBlock.Place {
    defer {
      place.line += lines
      place.byteOffset += byteCount
    }
    return place
  }

  /// Returns a block with the beginning of a line that is too long, and removes the line from the buffer.
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
  /// The index of the first line feed, or `nil` if there is none.
  var firstLineBreak: Int? {
    guard let start = UnsafeRawBufferPointer(rebasing: self).baseAddress, let found = memchr(start, 10, count) else {
      return nil
    }
    return startIndex + (UnsafeRawPointer(found) - start)
  }

  /// The index of the last line feed, or `nil` if there is none.
  var lastLineBreak: Int? {
    // The search begins at the end, where a line feed is unless lines are very long. `memchr` searches forward,
    // so it searches windows.
    let windowBytes = 1024
    var end = endIndex
    while end > startIndex {
      let start = Swift.max(startIndex, end - windowBytes)
      if var last = self[start..<end].firstLineBreak {
        while let next = self[(last + 1)..<end].firstLineBreak { last = next }
        return last
      }
      end = start
    }
    return nil
  }

  /// Returns the end index of the first `count` lines, including the last line feed. There must be as many lines.
  fileprivate func end(ofLines count: Int) -> Int {
    var end = startIndex
    for _ in 0..<count { end = (self[end...].firstLineBreak ?? endIndex - 1) + 1 }
    return end
  }

  /// The number of line feeds.
  fileprivate var lineBreakCount: Int {
    let bytes = UnsafeRawBufferPointer(rebasing: self)
    let breaks = SIMD16<UInt8>(repeating: 10)
    var total = 0
    var offset = 0
    while offset + 16 <= bytes.count {
      // Each of the 16 vector elements counts up to 255, so they are summed after at most 255 vectors.
      let end = Swift.min(offset + 16 * 255, bytes.count - 15)
      var counts = SIMD16<UInt8>()
      while offset < end {
        let vector = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        counts &+= SIMD16<UInt8>().replacing(with: 1, where: vector .== breaks)
        offset += 16
      }
      for element in 0..<16 { total += Int(counts[element]) }
    }
    for index in offset..<bytes.count where bytes[index] == 10 { total += 1 }
    return total
  }
}
