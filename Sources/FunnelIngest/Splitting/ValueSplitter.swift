import FunnelDecoding
import FunnelModel
import FunnelSystem

/// Splits JSON values that span lines into blocks with one value a line. The values are the elements of an
/// array, or follow one another. The memory is bounded for values of any length.
///
/// The splitter only finds the beginning and the end of each value; the decoder validates it. Line feeds in a
/// value become spaces. In invalid input, the splitter resynchronizes, so an error affects few values:
///
/// - A line feed in a string ends the string. It becomes a carriage return, which makes the string invalid, so
///   the value is rejected.
/// - A closing bracket that does not match the last opening one closes the last one that it matches, and all after it.
/// - A `{` in the position of a key starts a new value: the previous one was cut off.
/// - Other text up to the next comma, bracket, quote or line feed becomes a value of its own, which is rejected.
struct ValueSplitter: RecordSplitter {
  /// The bytes that were read. Those before `position` are examined.
  var buffer: BlockMemory
  /// The number of bytes in the buffer.
  var count = 0
  var position = 0
  /// The offset of the buffer's first byte in the input.
  var bufferOffset: Int
  /// The number of the line at `position`.
  var line: Int
  /// Whether a byte order mark may follow.
  var isAtStart = true

  /// Whether the values are elements of an array.
  var isInArray = false
  /// The way in which objects around arrays are read, or `nil` if all objects are records.
  let envelopes: RecordEnvelopeOptions?
  /// The open envelope, or `nil` outside of one.
  var envelope: RecordEnvelope?
  /// Whether more bytes must be read to tell an envelope from a record.
  private var isWaiting = false
  /// Whether all bytes were read.
  var isFinished = false
  /// The current value, or `nil` between two values.
  var record: Record?
  private var string = StringState.outside
  private var brackets = BracketStack()

  private var output: RecordBlockBuilder
  private let context: SplitterContext

  /// A value whose end is not found yet.
  struct Record {
    /// The index of its first byte in the buffer.
    var start: Int
    /// The number of its first line.
    var line: Int
    /// The offset of its first byte in the input.
    var byteOffset: Int
    /// Whether it is a number, a literal or invalid text, which has no closing character.
    var isBare = false
    /// The state of a value that is too long, or `nil` if it is not. The buffer then contains its beginning, at
    /// 0, and its last bytes.
    var overlong: Overlong?
  }

  /// The bytes of a long value that are no longer in the buffer.
  struct Overlong {
    /// The number of these bytes.
    var droppedByteCount: Int
    /// The last of these bytes that is not white space, or `nil` if there is none.
    var lastSign: UInt8?
  }

  /// The position relative to a string.
  private enum StringState {
    case outside, inside, afterBackslash
  }

  static let readBytesMax = 1 << 18

  /// Creates a splitter for the bytes of one text.
  ///
  /// - Parameter envelopes: The way in which objects around arrays are read, or `nil` if all objects are records.
  init(_ context: SplitterContext, envelopes: RecordEnvelopeOptions? = nil) {
    self.context = context
    self.envelopes = envelopes
    output = RecordBlockBuilder(context)
    bufferOffset = context.place.byteOffset
    line = context.place.line
    buffer = context.pool.take()
  }

  mutating func readOn(_ read: BlockFiller) throws(FunnelError) -> [LineBlock]? {
    makeRoom()
    let readCount = try buffer.fill(count..<(count + Self.readBytesMax), by: read)
    guard readCount > 0 else { return nil }
    count += readCount
    skipMark()
    if !isAtStart { examine() }
    return output.takeBlocks()
  }

  mutating func finish(damage: Rejection?) -> [LineBlock] {
    isFinished = true
    examine()
    if record?.overlong != nil || (record != nil && damage == nil) { endRecord(at: count) }
    if let damage {
      let buffer = buffer
      output.append(
        damage, after: buffer.span((record?.start ?? count)..<count), line: record?.line ?? line,
        byteOffset: record?.byteOffset ?? (bufferOffset + count))
    }
    output.endBlock()
    return output.takeBlocks()
  }

  func close() {
    context.pool.give(buffer)
    output.close()
  }

  // MARK: The values

  /// Examines the bytes in the buffer.
  private mutating func examine() {
    isAtStart = false
    isWaiting = false
    while position < count, !isWaiting {
      if let open = record {
        if open.isBare {
          examineBare()
        } else {
          examineRecord()
        }
      } else {
        examineBetween()
      }
    }
  }

  /// Skips the separators between values, and starts the next value.
  private mutating func examineBetween() {
    let buffer = buffer
    let bytes = buffer.span(0..<count)
    while position < bytes.count {
      if envelope?.isAfterArray == true {
        skipAfterArray(bytes)
        continue
      }
      switch bytes[position] {
      case Byte.lineFeed: line += 1
      case 0..<0x21, UInt8(ascii: ","): break
      case UInt8(ascii: "[") where !isInArray: isInArray = true
      case UInt8(ascii: "]") where isInArray:
        isInArray = false
        envelope?.endArray()
      case UInt8(ascii: "{") where !isInArray && envelopes != nil:
        switch beginEnvelope(bytes) {
        case .begun: continue
        case .needsMore:
          isWaiting = true
          return
        case .isRecord: return beginRecord(with: bytes[position])
        }
      default: return beginRecord(with: bytes[position])
      }
      position += 1
    }
  }

  /// Starts a value with its first byte, at `position`.
  private mutating func beginRecord(with sign: UInt8) {
    record = Record(start: position, line: line, byteOffset: bufferOffset + position)
    brackets.removeAll()
    switch sign {
    case UInt8(ascii: "{"), UInt8(ascii: "["): brackets.open(sign)
    case UInt8(ascii: "\""): string = .inside
    default: record?.isBare = true
    }
    position += 1
  }

  /// Examines a value that has no closing character.
  private mutating func examineBare() {
    let buffer = buffer
    let bytes = buffer.span(0..<count)
    while position < bytes.count {
      guard !"\n,{}[]\"".utf8.contains(bytes[position]) else { return endRecord(at: position) }
      position += 1
    }
  }

  /// Examines an object, an array or a string.
  private mutating func examineRecord() {
    let buffer = buffer
    let end = count
    var bytes = buffer.mutableSpan(0..<end)
    var index = position
    defer { position = index }
    while index < end {
      if string != .outside {
        index = skipString(in: &bytes, from: index)
        guard string == .outside, brackets.isEmpty else { continue }
        // The whole value is a string.
        return endRecord(at: index)
      }
      index = JSONStructure.next(in: bytes.span, from: index, to: end)
      guard index < end else { return }
      switch bytes[index] {
      case UInt8(ascii: "\""): string = .inside
      case Byte.lineFeed:
        bytes[index] = Byte.space
        line += 1
      case UInt8(ascii: "{"):
        // In an object, `{` is valid only after a colon.
        if brackets.innermost == UInt8(ascii: "{"), lastSign(before: index, of: record!) != UInt8(ascii: ":") {
          return endRecord(at: index)
        }
        brackets.open(UInt8(ascii: "{"))
      case UInt8(ascii: "["): brackets.open(UInt8(ascii: "["))
      case let closing:
        // An element that was cut off ends with its array.
        if !brackets.close(closing), closing == UInt8(ascii: "]"), isInArray { return endRecord(at: index) }
        if brackets.isEmpty {
          index += 1
          return endRecord(at: index)
        }
      }
      index += 1
    }
  }

  /// Skips the remainder of a string. Returns the index after its closing quote, or the end of the bytes if
  /// the quote is not in the buffer yet.
  private mutating func skipString(in bytes: inout MutableSpan<UInt8>, from start: Int) -> Int {
    let end = bytes.count
    var index = start
    if string == .afterBackslash {
      string = .inside
      if bytes[index] != Byte.lineFeed { index += 1 }
    }
    while true {
      index = JSONStructure.nextInString(in: bytes.span, from: index, to: end)
      guard index < end else { return end }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        string = .outside
        return index + 1
      case Byte.lineFeed:
        bytes[index] = Byte.carriageReturn
        line += 1
        string = .outside
        return index + 1
      default:
        // The byte after a backslash does not end the string, unless it is a line feed.
        guard index + 1 < end else {
          string = .afterBackslash
          return end
        }
        index += bytes[index + 1] == Byte.lineFeed ? 1 : 2
      }
    }
  }

  /// Returns the last byte of a value before an index that is not white space, or `nil` if there is none.
  func lastSign(before index: Int, of record: Record) -> UInt8? {
    let kept = record.overlong == nil ? record.start : Limits.deadLetterRawBytesMax
    let bytes = buffer.span(kept..<index)
    if let last = bytes.lastIndex(where: { $0 > Byte.space }) { return bytes[last] }
    return record.overlong?.lastSign
  }

  /// Adds the current value, which ends at an index of the buffer, to the output.
  private mutating func endRecord(at end: Int) {
    guard let ended = record else { return }
    record = nil
    string = .outside
    let buffer = buffer
    let bytes = buffer.span(ended.start..<end)
    let byteCount = bytes.count + (ended.overlong?.droppedByteCount ?? 0)
    if byteCount > Limits.lineBytesMax {
      let kept = bytes.extracting(first: Limits.deadLetterRawBytesMax)
      output.append(overlong: kept, byteCount: byteCount, line: ended.line, byteOffset: ended.byteOffset)
    } else {
      let text = bytes.extracting(first: bytes.lastIndex { $0 > Byte.space }.map { $0 + 1 } ?? 0)
      if isInArray, let json = envelope?.adding(to: text) {
        output.append(json: json.span, text: text, rejection: nil, line: ended.line, byteOffset: ended.byteOffset)
      } else {
        output.append(text, line: ended.line, byteOffset: ended.byteOffset, isElement: isInArray)
      }
    }
  }
}
