import FunnelImport
import FunnelModel

// Decoding of lines, batch by batch: with cached layouts, field by field, or with the slow decoder.
extension BlockDecoder {
  /// The size of a batch, in bytes: the batch and its tokens fit in the processor's second-level cache.
  private static let batchBytesTarget = 1 << 17

  /// Decodes lines in batches, and returns their number.
  mutating func decodeLines<Consumer: EventConsumer & ~Copyable>(
    _ lines: BlockText, at start: LineBlock.Place, into consumer: inout Consumer
  ) -> Int {
    var place = start
    var offset = 0
    while offset < lines.count {
      let end = Self.endOfLine(near: Self.batchBytesTarget, in: offset..<lines.count, of: lines)
      decodeBatch(lines[offset..<end], at: &place, into: &consumer)
      offset = end
    }
    return place.line - start.line
  }

  /// Returns an offset after a line break that cuts a range of lines: that of the last line break in the first bytes, or
  /// else of the first one after them. Returns the end of the range if the range is shorter or has no such line break.
  private static func endOfLine(near byteCount: Int, in range: Range<Int>, of lines: BlockText) -> Int {
    guard range.count > byteCount else { return range.upperBound }
    let middle = range.lowerBound + byteCount
    let lineBreak =
      lines.span.lastLineFeed(in: range.lowerBound..<middle) ?? lines.span.firstLineFeed(in: middle..<range.upperBound)
    return lineBreak.map { $0 + 1 } ?? range.upperBound
  }

  /// Decodes a batch of whole lines, and advances the place past them.
  private mutating func decodeBatch<Consumer: EventConsumer & ~Copyable>(
    _ lines: BlockText, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    guard !lines.isEmpty else { return }
    if walker.begin(lines) { return decodeIndexed(lines, at: &place, into: &consumer) }
    // A line is invalid, or all are blank: the batch is halved to find the invalid lines.
    let half = Self.endOfLine(near: lines.count / 2, in: 0..<lines.count, of: lines)
    if half < lines.count {
      decodeBatch(lines[0..<half], at: &place, into: &consumer)
      decodeBatch(lines[half..<lines.count], at: &place, into: &consumer)
    } else {
      decodeAlone(lines, at: place, into: &consumer)
      place.line += 1
      place.byteOffset += lines.count
    }
  }

  /// Decodes a batch whose tokens are known, and advances the place past it.
  private mutating func decodeIndexed<Consumer: EventConsumer & ~Copyable>(
    _ lines: BlockText, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    let offset = place.byteOffset
    var start = 0
    var token = 0
    while start < lines.count {
      recordLine = place.line
      // First by the cached layouts, then field by field, then with the slow decoder.
      if let end = walker.walkKnown(from: start, firstToken: token, into: &event.fields.pointee),
        end &- start <= decoder.lineBytesMax, takeWalked(lines[start..<end], into: &consumer)
      {
        countLine(in: &consumer)
        token = walker.nextToken
        place.line += 1
        start = end &+ 1
        continue
      }
      let end = lines.firstOffset(of: Byte.lineFeed, in: start..<lines.count) ?? lines.count
      token = walker.firstToken(atOrAfter: start, from: token)
      // A line without tokens is blank.
      if walker.batch.offset(ofToken: token) < end {
        let line = lines[start..<end]
        if line.count <= decoder.lineBytesMax,
          walker.walk(from: start, to: end, firstToken: token, into: &event.fields.pointee), takeWalked(line, into: &consumer)
        {
          countLine(in: &consumer)
          token = walker.nextToken
        } else {
          place.byteOffset = offset + start
          decodeAlone(line, at: place, into: &consumer)
        }
      }
      place.line += 1
      start = end &+ 1
    }
    place.byteOffset = offset + lines.count
  }

  /// Decodes one line with the slow decoder. The line may include its line break.
  private mutating func decodeAlone<Consumer: EventConsumer & ~Copyable>(
    _ text: BlockText, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    let line = withoutLeadingZeros(text.trimmingSuffix(Byte.lineFeed).trimmingSuffix(Byte.carriageReturn), in: &consumer)
    guard !line.isBlank else { return }
    countLine(in: &consumer)
    recordLine = place.line
    do throws(Rejection) {
      if line.count > decoder.lineBytesMax { throw Self.tooLong(line.count) }
      if let rejection = recordBlock?.rejection(ofLine: place.line) { throw rejection }
      try take(line, into: &consumer)
    } catch {
      refuse(error, line: line, at: place, into: &consumer)
    }
  }

  /// Returns a line without the zero bytes at its beginning, which are counted.
  func withoutLeadingZeros<Consumer: EventConsumer & ~Copyable>(
    _ line: BlockText, in consumer: inout Consumer
  ) -> BlockText {
    // A crash, or a log that is truncated while it is written, leaves them before a whole record.
    guard line.count > 0, line[0] == 0 else { return line }
    let count = line.span.endOfPrefix(from: 0) { $0 == 0 }
    consumer.add(ImportCounts(zeroBytes: count))
    return line[count..<line.count]
  }

  /// Counts a line that is not blank. Imported records are already counted.
  @inline(__always)
  private func countLine<Consumer: EventConsumer & ~Copyable>(in consumer: inout Consumer) {
    if recordBlock == nil || recordBlock?.format == .native { consumer.countLine() }
  }
}
