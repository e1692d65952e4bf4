import FunnelDecoding
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
struct LineSplitter: RecordSplitter {
  /// The position of the buffer's first byte.
  private var place: LineBlock.Place
  /// The bytes that were read and are not in a block yet, followed by undefined bytes.
  private var buffer: BlockMemory
  /// The number of bytes in the buffer.
  private var count = 0
  /// The number of line breaks in the buffer. Bytes are counted as they are read, while they are in the
  /// processor's cache.
  private var lineBreakCount = 0
  /// The current line if it is too long, or `nil` if it is not. The buffer contains only its beginning.
  private var overlong: OverlongLine?
  /// Whether a byte order mark may follow.
  private var isAtStart = true
  private let blockBytesTarget: Int
  private let countsLines: Bool
  private let pool: BlockPool

  /// The properties of a line that is too long, as far as it was read.
  private struct OverlongLine {
    var byteCount: Int
    /// The last byte, which may be the carriage return of the line break.
    var lastByte: UInt8
  }

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
  /// - Parameter read: Appends the next bytes of the stream, or none at its end.
  mutating func readOn(_ read: BlockFiller) throws(FunnelError) -> [LineBlock]? {
    let free = count..<(count + Self.readBytes(blockBytesTarget: blockBytesTarget))
    if free.upperBound + LineParser.paddingBytes > buffer.byteCount { buffer.grow(to: 2 * buffer.byteCount, keeping: count) }
    let readCount = try buffer.fill(free, by: read)
    guard readCount > 0 else { return nil }
    return take(readCount)
  }

  /// Processes bytes that were read into the buffer, and returns the blocks that they complete.
  private mutating func take(_ readCount: Int) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var added = count..<(count + readCount)
    if let known = overlong {
      let end = buffer.firstIndex(of: Byte.lineFeed, in: added)
      let line = added.lowerBound..<(end ?? added.upperBound)
      overlong = OverlongLine(byteCount: known.byteCount + line.count, lastByte: lastByte(in: line) ?? known.lastByte)
      guard let end else { return blocks }
      blocks.append(takeOverlongLine(hasLineBreak: true))
      let remainder = (end + 1)..<added.upperBound
      buffer.moveToFront(remainder)
      added = 0..<remainder.count
    }
    if countsLines { lineBreakCount += buffer.span(added).lineFeedCount }
    count = added.upperBound
    skipMark()
    guard count >= blockBytesTarget else { return blocks }
    takeWholeLines(into: &blocks)
    // The last byte may be the carriage return of a line break whose line feed is not read yet.
    if count > Limits.lineBytesMax + 1, let lastByte = lastByte(in: 0..<count) {
      overlong = OverlongLine(byteCount: count, lastByte: lastByte)
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
      blocks.append(block(at: place, .damagedTail(damage), bytes: buffer.span(0..<count)))
    }
    return blocks
  }

  /// Returns a block with a copy of bytes.
  private func block(at place: LineBlock.Place, _ content: LineBlock.Content, bytes: Span<UInt8>) -> LineBlock {
    var block = LineBlock(place: place, content: content, copying: bytes)
    block.hasLineNumbers = countsLines
    return block
  }

  /// Returns the buffer to the pool. The splitter must not be used afterwards.
  func close() { pool.give(buffer) }

  /// Skips a byte order mark at the start of a file.
  private mutating func skipMark() {
    let markBytes = Span<UInt8>.byteOrderMarkBytes
    guard isAtStart, count >= markBytes else { return }
    isAtStart = false
    guard buffer.span(0..<count).hasByteOrderMark else { return }
    buffer.moveToFront(markBytes..<count)
    count -= markBytes
    place.byteOffset += markBytes
  }

  /// Moves all whole lines from the buffer to blocks.
  private mutating func takeWholeLines(into blocks: inout [LineBlock]) {
    if let end = buffer.lastLineFeed(inFirst: count) { takeBlocks(end + 1, into: &blocks) }
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
      let end = lineCount < lines ? buffer.end(ofLines: lineCount, in: start..<count) : byteCount
      blocks.append(block(at: advance(by: end - start, lines: lineCount), .lines, bytes: buffer.span(start..<end)))
      lines -= lineCount
      start = end
    }
    buffer.moveToFront(byteCount..<count)
    count -= byteCount
  }

  /// Returns a block that owns the current buffer, and copies the bytes after its lines to a new buffer.
  private mutating func takeBuffer(_ byteCount: Int, lines: Int) -> LineBlock {
    let taken = buffer
    let remainder = taken.span(byteCount..<count)
    buffer = pool.take()
    if buffer.byteCount < remainder.count { buffer = BlockMemory(byteCount: taken.byteCount) }
    buffer.copy(remainder, to: 0)
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
    guard let line = overlong else { preconditionFailure("the line is too long") }
    let textBytes = line.lastByte == Byte.carriageReturn ? line.byteCount - 1 : line.byteCount
    let block = block(at: place, .overlongLine(totalByteCount: textBytes), bytes: buffer.span(0..<count))
    place.line += 1
    place.byteOffset += line.byteCount + (hasLineBreak ? 1 : 0)
    count = 0
    overlong = nil
    return block
  }

  /// Returns the last byte in a range of the buffer, or `nil` if the range is empty.
  private func lastByte(in range: Range<Int>) -> UInt8? {
    range.last.map { buffer.span($0..<$0 + 1)[0] }
  }
}
