import FunnelModel

/// Splits JSON values that are the elements of an array, or that follow one another, into blocks with one value a line, in bounded memory
/// however long a value is.
///
/// It finds where values begin and end, and the decoder checks them: each value is copied as it is, but for its line feeds, which become
/// blanks. Damage costs the values it is in:
///
/// - A line feed within a string ends the string. It becomes a carriage return, which no string may contain, so the value is refused.
/// - A bracket that closes nothing that was opened last closes what it fits, with all that was opened behind it.
/// - A `{` where a key must stand begins another value: the one before was cut off.
/// - What is no value, up to the next comma, bracket, quote or line feed, is handed on to be refused.
struct ValueSplitter: RecordSplitter {
  /// The buffer, of whose first `count` bytes those before `position` have been examined.
  private var buffer: BlockMemory
  private var count = 0
  private var position = 0
  /// The offset in the input of the buffer's first byte.
  private var bufferOffset: Int
  /// The number of the line at `position`.
  private var line: Int
  private var isAtStart = true

  /// Whether the values are elements of an array.
  private var isInArray = false
  private var record: Record?
  private var string = StringState.outside
  private var brackets = BracketStack()

  private var output: RecordBlockBuilder
  private let context: SplitterContext

  /// The value that is being read.
  private struct Record {
    /// The index of its first byte in the buffer; 0 if it is too long, when the buffer has its beginning and then what was read last.
    var start: Int
    var line: Int
    var byteOffset: Int
    /// Whether it is a number, a literal, or nothing known, which has no closing sign.
    var isBare = false
    /// What is known of a value that is too long.
    var overlong: Overlong?
  }

  private struct Overlong {
    /// The number of bytes of the value that the buffer no longer has.
    var droppedByteCount: Int
    /// The last byte of those that is not blank.
    var lastSign: UInt8
  }

  private enum StringState {
    case outside, inside, behindBackslash
  }

  private static let readBytesMax = 1 << 18

  /// Creates a splitter for the bytes of one text.
  init(_ context: SplitterContext) {
    self.context = context
    output = RecordBlockBuilder(context)
    bufferOffset = context.place.byteOffset
    line = context.place.line
    buffer = context.pool.take()
  }

  mutating func readOn(
    _ read: (UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  ) throws(FunnelError) -> [LineBlock]? {
    makeRoom()
    let readCount = try read(buffer.space(count..<(count + Self.readBytesMax)))
    guard readCount > 0 else { return nil }
    count += readCount
    skipMark()
    if !isAtStart { examine() }
    return output.takeBlocks()
  }

  mutating func finish(damage: Rejection?) -> [LineBlock] {
    examine()
    if record?.overlong != nil || (record != nil && damage == nil) { endRecord(at: count) }
    if let damage {
      let tail = buffer.bytes((record?.start ?? count)..<count)
      output.append(
        damage, behind: tail, line: record?.line ?? line, byteOffset: record?.byteOffset ?? (bufferOffset + count))
    }
    output.endBlock()
    return output.takeBlocks()
  }

  func close() {
    context.pool.give(buffer)
    output.close()
  }

  // MARK: The buffer

  /// Drops what belongs to no unfinished value, and makes room to read on.
  private mutating func makeRoom() {
    if var open = record {
      shorten(&open)
      record = open
    } else {
      bufferOffset += position
      buffer.moveToFront(position..<count)
      count -= position
      position = 0
    }
    let needed = count + Self.readBytesMax + LineParser.paddingBytes
    if needed > buffer.byteCount { buffer.grow(to: max(needed, 2 * buffer.byteCount), keeping: count) }
  }

  /// Moves an unfinished value to the front of the buffer; of one that is too long, only the beginning is kept.
  private mutating func shorten(_ open: inout Record) {
    if open.start > 0 {
      buffer.moveToFront(open.start..<count)
      bufferOffset += open.start
      count -= open.start
      position -= open.start
      open.start = 0
    }
    guard count > Limits.lineBytesMax else { return }
    let kept = Limits.deadLetterRawBytesMax
    let dropped = count - kept
    let lastSign = lastSign(before: count, of: open)
    open.overlong = Overlong(droppedByteCount: (open.overlong?.droppedByteCount ?? 0) + dropped, lastSign: lastSign)
    bufferOffset += dropped
    count = kept
    position = kept
  }

  /// Skips a byte order mark at the start, which is allowed and no part of the first value.
  private mutating func skipMark() {
    guard isAtStart, count >= 3 else { return }
    isAtStart = false
    if buffer.bytes(0..<3).elementsEqual([0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  // MARK: The values

  /// Examines the bytes that were read.
  private mutating func examine() {
    isAtStart = false
    while position < count {
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

  /// Skips what separates values, and begins the next one.
  private mutating func examineBetween() {
    let bytes = buffer.bytes(0..<count)
    while position < bytes.count {
      switch bytes[position] {
      case Byte.lineFeed: line += 1
      case 0..<0x21, UInt8(ascii: ","): break
      case UInt8(ascii: "[") where !isInArray: isInArray = true
      case UInt8(ascii: "]") where isInArray: isInArray = false
      default: return beginRecord(with: bytes[position])
      }
      position += 1
    }
  }

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

  /// Reads on in a value that has no closing sign.
  private mutating func examineBare() {
    let bytes = buffer.bytes(0..<count)
    while position < bytes.count {
      guard !"\n,{}[]\"".utf8.contains(bytes[position]) else { return endRecord(at: position) }
      position += 1
    }
  }

  /// Reads on in an object, an array or a string.
  private mutating func examineRecord() {
    let base = buffer.base.assumingMemoryBound(to: UInt8.self)
    let end = count
    var index = position
    defer { position = index }
    while index < end {
      if string != .outside {
        index = skipString(in: base, from: index, to: end)
        guard string == .outside, brackets.isEmpty else { continue }
        // The value is a string alone.
        return endRecord(at: index)
      }
      index = JSONSigns.next(in: base, from: index, to: end)
      guard index < end else { return }
      switch base[index] {
      case UInt8(ascii: "\""): string = .inside
      case Byte.lineFeed:
        base[index] = Byte.space
        line += 1
      case UInt8(ascii: "{"):
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

  /// Skips the rest of a string and returns the index behind its closing quote, or the end.
  private mutating func skipString(in base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    if string == .behindBackslash {
      string = .inside
      if base[index] != Byte.lineFeed { index += 1 }
    }
    while true {
      index = JSONSigns.nextInString(in: base, from: index, to: end)
      guard index < end else { return end }
      switch base[index] {
      case UInt8(ascii: "\""):
        string = .outside
        return index + 1
      case Byte.lineFeed:
        base[index] = Byte.carriageReturn
        line += 1
        string = .outside
        return index + 1
      default:
        // The sign behind the backslash is no end of the string, unless it is a line feed.
        guard index + 1 < end else {
          string = .behindBackslash
          return end
        }
        index += base[index + 1] == Byte.lineFeed ? 1 : 2
      }
    }
  }

  /// Returns the last byte before an index that is not blank, of the value that is being read.
  private func lastSign(before index: Int, of record: Record) -> UInt8 {
    let kept = record.overlong == nil ? record.start : Limits.deadLetterRawBytesMax
    let sign = buffer.bytes(kept..<index).last { $0 > 0x20 }
    return sign ?? record.overlong?.lastSign ?? 0
  }

  /// Hands on the value that ends at an index.
  private mutating func endRecord(at end: Int) {
    guard let ended = record else { return }
    record = nil
    string = .outside
    let bytes = buffer.bytes(ended.start..<end)
    let byteCount = bytes.count + (ended.overlong?.droppedByteCount ?? 0)
    if byteCount > Limits.lineBytesMax {
      let kept = UnsafeRawBufferPointer(rebasing: bytes.prefix(Limits.deadLetterRawBytesMax))
      output.append(overlong: kept, byteCount: byteCount, line: ended.line, byteOffset: ended.byteOffset)
    } else {
      let text = UnsafeRawBufferPointer(rebasing: bytes.prefix((bytes.lastIndex { $0 > 0x20 } ?? -1) + 1))
      output.append(text, line: ended.line, byteOffset: ended.byteOffset, isElement: isInArray)
    }
  }
}
