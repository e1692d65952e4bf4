import FunnelDecoding
import FunnelModel

/// Writes records of CSV as JSON, eight bytes at a time, without splitting them into fields first.
///
/// It writes the records of which most tables consist: each is on one line, and a field in quotes ends at its closing quote.
/// ``CSVParser`` reads all others. For the same record, both result in the same JSON.
struct CSVLineWriter {
  private let columns: CSVColumns
  /// The JSON of the last record, with room for a word after it.
  private var json: [UInt8] = []

  /// The maximum length of a record in bytes. Longer ones are rare, and their JSON may be too long for an event.
  private static let recordBytesMax = 1 << 14
  /// The bit of each byte that is not ASCII.
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Creates a writer of the records of a table. Returns `nil` if the header rejects all records, or has one column.
  init?(_ header: CSVHeader, delimiter: UInt8) {
    // In a table of one column, a blank line is no record.
    guard header.problem == nil, header.keys.count > 1 else { return nil }
    guard delimiter != Byte.quote, delimiter != Byte.lineFeed, delimiter != Byte.carriageReturn else { return nil }
    columns = CSVColumns(header.keys, delimiter: delimiter)
    guard columns.jsonBytesMax(ofRecord: Self.recordBytesMax) <= Limits.lineBytesMax else { return nil }
  }

  /// Appends a record as JSON to the current block of a builder.
  ///
  /// - Parameters:
  ///   - record: The record without its line break.
  ///   - line: The number of its line in the input.
  ///   - byteOffset: The offset of its first byte in the input.
  /// - Returns: `false` if nothing is appended, because ``CSVParser`` has to read the record.
  mutating func append(_ record: Span<UInt8>, line: Int, byteOffset: Int, to builder: inout RecordBlockBuilder) -> Bool {
    guard let count = write(record) else { return false }
    let json = json
    builder.append(
      json: json.span.extracting(0..<count), text: record, rejection: nil, line: line, byteOffset: byteOffset)
    return true
  }

  /// Writes a record to ``json``. Returns the length of the JSON, or `nil` if ``CSVParser`` has to read the record.
  private mutating func write(_ record: Span<UInt8>) -> Int? {
    guard record.count <= Self.recordBytesMax else { return nil }
    let needed = columns.jsonBytesMax(ofRecord: record.count)
    if json.count < needed { json = [UInt8](repeating: 0, count: 2 * needed) }
    let columns = columns
    var memory = json.mutableSpan
    var output = memory.mutableBytes
    var position = CSVColumns.Position()
    var keyStart = 0
    for column in 0..<columns.keyEnds.count {
      let start = position.written
      let fieldStart = position.read
      let key = keyStart..<columns.keyEnds[column]
      columns.writeKey(key, to: &output, at: &position)
      guard columns.writeValue(of: record, to: &output, at: &position) else { return nil }
      // An empty field is omitted, and so are a null and a column without a name.
      if position.written == start + key.count || key.isEmpty || record.isNullField(fieldStart..<position.read) {
        position.written = start
      } else {
        output.storeBytes(of: Byte.quote, toByteOffset: position.written, as: UInt8.self)
        position.written &+= 1
      }
      // A delimiter follows each field but the last.
      let isLast = column == columns.keyEnds.count &- 1
      guard isLast == (position.read == record.count) else { return nil }
      position.read &+= 1
      keyStart = key.upperBound
    }
    guard position.union & Self.highBits == 0 || record.isUTF8 else { return nil }
    // The brace replaces the comma before the first member.
    output.storeBytes(of: Byte.openBrace, toByteOffset: 0, as: UInt8.self)
    let end = max(position.written, 1)
    output.storeBytes(of: Byte.closeBrace, toByteOffset: end, as: UInt8.self)
    return end + 1
  }
}

/// The columns of a table, by which its records are written as JSON.
private struct CSVColumns {
  /// The state of writing a record.
  struct Position {
    /// The number of bytes of the record that are read.
    var read = 0
    /// The number of bytes of the JSON that are written.
    var written = 0
    /// The disjunction of all words of the record.
    var union: UInt64 = 0
  }

  /// The text before the value of each column, one after another: `,"user_id":"`. Empty for a column without a name.
  ///
  /// Padding follows, so that whole words can be read.
  private let keys: [UInt8]
  /// The end of each column's text in ``keys``.
  let keyEnds: [Int]
  private let delimiter: UInt8
  /// Whether a delimiter in a quoted field needs no escape in JSON.
  private let isDelimiterPlain: Bool
  private let scan: CSVWordScan

  /// The length of the longest escape, `\"` or `\\`.
  private static let escapeBytesMax = 2
  private static let escapedQuote = UInt16(Byte.backslash) | UInt16(Byte.quote) << 8
  private static let escapedBackslash = UInt16(Byte.backslash) | UInt16(Byte.backslash) << 8

  /// Creates columns with the given keys of JSON, or `nil` for a column without a name.
  init(_ columns: [[UInt8]?], delimiter: UInt8) {
    var keys: [UInt8] = []
    var keyEnds: [Int] = []
    for key in columns {
      if let key { keys += [Byte.comma] + key + [Byte.quote] }
      keyEnds.append(keys.count)
    }
    self.keys = keys + [UInt8](repeating: 0, count: CSVWordScan.wordBytes)
    self.keyEnds = keyEnds
    self.delimiter = delimiter
    isDelimiterPlain = delimiter >= Byte.space && delimiter != Byte.backslash
    scan = CSVWordScan(delimiter: delimiter)
  }

  /// Returns the maximum length of the JSON of a record with a word after it, if each byte needs an escape.
  func jsonBytesMax(ofRecord byteCount: Int) -> Int {
    let braces = 2
    return keys.count + keyEnds.count + byteCount * Self.escapeBytesMax + braces + CSVWordScan.wordBytes
  }

  /// Writes the text before the value of a column.
  @inline(__always)
  func writeKey(_ key: Range<Int>, to output: inout MutableRawSpan, at position: inout Position) {
    var index = key.lowerBound
    while index < key.upperBound {
      let word = keys.span.word(at: index)
      output.storeBytes(of: word.littleEndian, toByteOffset: position.written &+ index &- key.lowerBound, as: UInt64.self)
      index &+= CSVWordScan.wordBytes
    }
    position.written &+= key.count
  }

  /// Writes the value of the next field, and reads up to the delimiter after it. Returns `false` if ``CSVParser`` has to read the
  /// record.
  @inline(__always)
  func writeValue(of record: Span<UInt8>, to output: inout MutableRawSpan, at position: inout Position) -> Bool {
    let isQuoted = position.read < record.count && record[unchecked: position.read] == Byte.quote
    if isQuoted { position.read &+= 1 }
    while position.read < record.count {
      let available = record.count &- position.read
      let isWhole = available >= CSVWordScan.wordBytes
      let word = isWhole ? record.word(at: position.read) : record.lastBytes(available)
      position.union |= word
      output.storeBytes(of: word.littleEndian, toByteOffset: position.written, as: UInt64.self)
      // The bytes after the end are zero, and so are not plain.
      let plain = scan.plainByteCount(of: word)
      position.read &+= plain
      position.written &+= plain
      guard plain < CSVWordScan.wordBytes, plain < available else { continue }
      let byte = record[unchecked: position.read]
      let after = position.read &+ 1
      if byte == delimiter {
        guard isQuoted else { return true }
        guard isDelimiterPlain else { return false }
        position.read = after
        position.written &+= 1
      } else if byte == Byte.quote {
        guard isQuoted else { return false }
        position.read = after
        if after == record.count || record[unchecked: after] == delimiter { return true }
        guard record[unchecked: after] == Byte.quote else { return false }
        output.storeBytes(of: Self.escapedQuote.littleEndian, toByteOffset: position.written, as: UInt16.self)
        position.read &+= 1
        position.written &+= Self.escapeBytesMax
      } else if byte == Byte.backslash {
        output.storeBytes(of: Self.escapedBackslash.littleEndian, toByteOffset: position.written, as: UInt16.self)
        position.read = after
        position.written &+= Self.escapeBytesMax
      } else {
        // A control character needs an escape of its own.
        return false
      }
    }
    return !isQuoted
  }
}

/// Finds the bytes of CSV that can't be copied to a string of JSON, in words of eight bytes.
private struct CSVWordScan {
  /// The number of bytes of a word.
  static let wordBytes = 8

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080
  private let delimiters: UInt64

  init(delimiter: UInt8) { delimiters = UInt64(delimiter) &* Self.ones }

  /// Returns the number of bytes before the first delimiter, quote, backslash or control character of a little-endian word.
  @inline(__always)
  func plainByteCount(of word: UInt64) -> Int {
    // The subtraction sets the highest bit of the first byte that is less, and perhaps of others after it ("Bit Twiddling Hacks",
    // haszero and hasless).
    let delimiter = word ^ delimiters
    let quote = word ^ (Self.ones &* UInt64(Byte.quote))
    let backslash = word ^ (Self.ones &* UInt64(Byte.backslash))
    let found =
      (word &- Self.ones &* 0x20) & ~word | (delimiter &- Self.ones) & ~delimiter | (quote &- Self.ones) & ~quote
      | (backslash &- Self.ones) & ~backslash
    return (found & Self.highs).trailingZeroBitCount / 8
  }
}

extension Span<UInt8> {
  /// Returns the eight bytes at an offset as a little-endian word.
  @inline(__always)
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the last bytes, fewer than eight, as a little-endian word with zeros after them.
  @inline(__always)
  fileprivate func lastBytes(_ byteCount: Int) -> UInt64 {
    assert(byteCount > 0 && byteCount < CSVWordScan.wordBytes && byteCount <= count, "the span has the bytes")
    if count >= CSVWordScan.wordBytes {
      return word(at: count &- CSVWordScan.wordBytes) &>> UInt64(8 &* (CSVWordScan.wordBytes &- byteCount))
    }
    var word: UInt64 = 0
    for index in 0..<byteCount { word |= UInt64(self[count &- byteCount &+ index]) &<< UInt64(8 &* index) }
    return word
  }
}
