import FunnelDecoding
import FunnelModel

/// Splits CSV (RFC 4180) into blocks with one record a line. Its memory is bounded for fields of any length.
///
/// A record becomes a JSON object whose keys are the column names. All values are strings. Empty fields are omitted, and so
/// are those that are the null of databases, `\N`. A record that does not match the header is added with its rejection. The delimiter is detected in
/// the header (``CSVDelimiter``).
struct CSVSplitter: RecordSplitter {
  /// The bytes that were read. Those before `position` are parsed.
  private var buffer: BlockMemory
  /// The number of bytes in the buffer.
  private var count = 0
  private var position = 0
  /// The offset of the buffer's first byte in the input.
  private var bufferOffset: Int
  /// The number of the line at `position`.
  private var line: Int
  private var isAfterCarriageReturn = false
  /// Whether a byte order mark may follow.
  private var isAtStart = true

  // The current record. If it is too long, the buffer contains its beginning, at 0, and its last bytes.

  /// The index of the record's first byte in the buffer.
  private var recordStart = 0
  /// The number of the record's first line.
  private var recordLine: Int
  /// The offset of the record's first byte in the input.
  private var recordOffset: Int
  /// The number of bytes of the record that are no longer in the buffer.
  private var droppedByteCount = 0

  /// The parser, or `nil` before the delimiter is detected.
  private var parser: CSVParser?
  /// The header, or `nil` before it is parsed.
  private var header: CSVHeader?
  /// Writes the records that need no parser, or `nil` if all need it.
  private var lineWriter: CSVLineWriter?
  /// The given names of the columns, or `nil` if the first record has them.
  private let columns: [String]?
  /// The current record as JSON.
  private var json: [UInt8] = []
  private var output: RecordBlockBuilder
  private let context: SplitterContext

  private static let readBytesMax = 1 << 18
  /// The line of a record that can't be written as JSON. It is invalid, so no decoder accepts it.
  private static let noJSON: [UInt8] = [UInt8(ascii: "!")]

  /// Creates a splitter for the bytes of one text.
  ///
  /// - Parameter columns: The names of the columns, or `nil` if the first record has them.
  init(_ context: SplitterContext, columns: [String]? = nil) {
    self.columns = columns
    self.context = context
    output = RecordBlockBuilder(context)
    output.header = []
    bufferOffset = context.place.byteOffset
    recordOffset = context.place.byteOffset
    line = context.place.line
    recordLine = context.place.line
    buffer = context.pool.take()
  }

  mutating func readOn(_ read: BlockFiller) throws(FunnelError) -> [LineBlock]? {
    makeRoom()
    let readCount = try buffer.fill(count..<(count + Self.readBytesMax), by: read)
    guard readCount > 0 else { return nil }
    count += readCount
    parse(isWhole: false)
    return output.takeBlocks()
  }

  mutating func finish(damage: Rejection?) -> [LineBlock] {
    parse(isWhole: true)
    if droppedByteCount > 0 || (damage == nil && recordStart < count) {
      let isSound = parser?.finish() ?? true
      endRecord(at: count, rejection: isSound ? nil : Self.unclosed)
      beginRecord(at: count)
    }
    if let damage {
      let buffer = buffer
      output.append(damage, after: buffer.span(recordStart..<count), line: recordLine, byteOffset: recordOffset)
    }
    output.endBlock()
    return output.takeBlocks()
  }

  func close() {
    context.pool.give(buffer)
    output.close()
  }

  private static let unclosed = Rejection(
    .invalidField, "a quoted field that begins in this record is not closed before the end of the file")

  // MARK: The buffer

  /// Moves the unfinished record to the front of the buffer, and makes room for the next read. It keeps only
  /// the beginning of a record that is too long.
  private mutating func makeRoom() {
    if recordStart > 0 {
      buffer.moveToFront(recordStart..<count)
      bufferOffset += recordStart
      count -= recordStart
      position -= recordStart
      recordStart = 0
    }
    if position > Limits.lineBytesMax, parser != nil {
      let dropped = position - Limits.deadLetterRawBytesMax
      droppedByteCount += dropped
      bufferOffset += dropped
      count -= dropped
      position -= dropped
      parser?.dropText()
    }
    let needed = count + Self.readBytesMax + LineParser.paddingBytes
    if needed > buffer.byteCount { buffer.grow(to: max(needed, 2 * buffer.byteCount), keeping: count) }
  }

  // MARK: The records

  /// Parses the bytes in the buffer.
  ///
  /// - Parameter isWhole: Whether there are no more bytes.
  private mutating func parse(isWhole: Bool) {
    if isAtStart, !isWhole, count < Span<UInt8>.byteOrderMarkBytes { return }
    skipMark()
    if parser == nil {
      let buffer = buffer
      let header = buffer.span(recordStart..<count)
      let isLongest = isWhole || header.count > Limits.lineBytesMax
      if let (delimiter, byteCount) = CSVDelimiter.named(in: header) {
        begin(delimiter: delimiter)
        line += 1
        position = recordStart + byteCount
        beginRecord(at: position)
        return parse(isWhole: isWhole)
      }
      guard let delimiter = CSVDelimiter.find(in: header, isWhole: isLongest) else { return }
      begin(delimiter: delimiter)
    }
    while position < count { parsePiece() }
  }

  /// Starts to parse, with the given names of the columns if there are any.
  private mutating func begin(delimiter: UInt8) {
    parser = CSVParser(delimiter: delimiter)
    if let columns { begin(header: CSVHeader(names: columns, delimiter: delimiter), delimiter: delimiter) }
  }

  /// Starts to read the records after the header.
  private mutating func begin(header: CSVHeader, delimiter: UInt8) {
    self.header = header
    output.header = header.text
    lineWriter = CSVLineWriter(header, delimiter: delimiter)
  }

  /// Skips a byte order mark at the start.
  private mutating func skipMark() {
    guard isAtStart else { return }
    isAtStart = false
    guard buffer.span(0..<count).hasByteOrderMark else { return }
    position = Span<UInt8>.byteOrderMarkBytes
    recordStart = position
    recordOffset += position
  }

  /// Parses the bytes up to the next line break, or to the end of the buffer.
  private mutating func parsePiece() {
    guard let parser else { return }
    let lineBreak = nextLineBreak
    if let lineBreak, takeLine(endingAt: lineBreak) { return }
    let end = lineBreak.map { $0 + 1 } ?? count
    parser.feed(buffer.span(position..<end))
    if lineBreak != position { isAfterCarriageReturn = false }
    position = end
    guard let lineBreak else { return }
    countLineBreak(at: lineBreak)
    if parser.isRecordComplete {
      endRecord(at: lineBreak, rejection: nil)
    } else if lineBreak > recordStart || droppedByteCount > 0 {
      // The line break is a part of a quoted field.
      return
    }
    beginRecord(at: end)
  }

  /// Takes a line that is blank or a whole record, and its line break. Returns `false` if the parser has to read the line.
  private mutating func takeLine(endingAt lineBreak: Int) -> Bool {
    // The parser has read the beginning of any record that is not complete.
    guard position == recordStart, droppedByteCount == 0 else { return false }
    if lineBreak > position {
      let buffer = buffer
      let record = buffer.span(position..<lineBreak)
      let isTaken = lineWriter?.append(record, line: recordLine, byteOffset: recordOffset, to: &output) ?? false
      guard isTaken else { return false }
      isAfterCarriageReturn = false
    }
    countLineBreak(at: lineBreak)
    position = lineBreak + 1
    beginRecord(at: position)
    return true
  }

  /// Starts the next record at an index of the buffer.
  private mutating func beginRecord(at start: Int) {
    recordStart = start
    recordLine = line
    recordOffset = bufferOffset + start
  }

  /// The index of the next carriage return or line feed, or `nil` if there is none.
  private var nextLineBreak: Int? {
    let lineFeed = buffer.firstIndex(of: Byte.lineFeed, in: position..<count)
    return buffer.firstIndex(of: Byte.carriageReturn, in: position..<(lineFeed ?? count)) ?? lineFeed
  }

  /// Counts a line break: a line feed, a carriage return, or both in sequence.
  private mutating func countLineBreak(at index: Int) {
    let isLineFeed = buffer.span(index..<(index + 1))[0] == Byte.lineFeed
    if !(isLineFeed && isAfterCarriageReturn) { line += 1 }
    isAfterCarriageReturn = !isLineFeed
  }

  /// Adds the current record, which ends at an index of the buffer, to the output. The first record is the header.
  private mutating func endRecord(at end: Int, rejection: Rejection?) {
    let buffer = buffer
    let text = buffer.span(recordStart..<end)
    let byteCount = text.count + droppedByteCount
    droppedByteCount = 0
    guard byteCount <= Limits.lineBytesMax else {
      // A header that is too long rejects all records.
      if header == nil { header = .unreadable }
      let kept = text.extracting(first: Limits.deadLetterRawBytesMax)
      return output.append(overlong: kept, byteCount: byteCount, line: recordLine, byteOffset: recordOffset)
    }
    if let rejection { return append(text, rejection: rejection) }
    guard let parser, !isBlank(text, parser) else { return }
    guard let header else {
      return begin(header: CSVHeader(parser, text: text), delimiter: parser.delimiter)
    }
    append(text, rejection: header.problem ?? write(parser, text, header))
  }

  /// Whether a record consists of one field of spaces and tabs.
  private func isBlank(_ text: Span<UInt8>, _ parser: CSVParser) -> Bool {
    parser.fieldEnds.count == 1 && text.allSatisfy { $0 == Byte.space || $0 == UInt8(ascii: "\t") }
  }

  private mutating func append(_ text: Span<UInt8>, rejection: Rejection?) {
    let line = rejection == nil ? json : Self.noJSON
    output.append(json: line.span, text: text, rejection: rejection, line: recordLine, byteOffset: recordOffset)
  }

  /// Writes the complete record of a parser as JSON. Returns the reason to reject the record, or `nil` if it is valid.
  private mutating func write(_ parser: CSVParser, _ text: Span<UInt8>, _ header: CSVHeader) -> Rejection? {
    guard text.isUTF8 else { return Rejection(.invalidUTF8, "the record is not UTF-8") }
    guard parser.fieldEnds.count == header.keys.count else {
      return Rejection(
        .invalidField, "the number of fields is \(parser.fieldEnds.count), but the header has \(header.keys.count) columns")
    }
    json.removeAll(keepingCapacity: true)
    json.append(Byte.openBrace)
    for (index, key) in header.keys.enumerated() {
      guard let key else { continue }
      parser.withField(index) { field in
        guard !field.isEmpty, !field.isNullField(0..<field.count) else { return }
        if json.count > 1 { json.append(Byte.comma) }
        json.append(contentsOf: key)
        json.appendJSONString(copying: field)
      }
    }
    json.append(Byte.closeBrace)
    guard json.count > Limits.lineBytesMax else { return nil }
    return Rejection(.lineTooLong, "the record has \(json.count) bytes as JSON; \(Limits.lineBytesMax) are allowed")
  }
}
