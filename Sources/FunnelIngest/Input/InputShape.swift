internal import FunnelModel

/// The shape of a text of JSON, as its beginning shows it.
enum InputShape: Hashable {
  /// One object a line.
  case lines
  /// An array of objects, or objects that span several lines each.
  case values

  /// The numbers of bytes that are examined, one after the other, until they decide. Few blanks precede the characters that decide, and a
  /// first line that is longer is no line of a pretty-printed object. An array whose first element is longer decides where that element
  /// ends, and an element longer than a line may be is refused in either shape.
  static let bytesMax = [4096, 64 << 10, Limits.lineBytesMax + 4096]

  /// Creates the shape of a text by its beginnings.
  ///
  /// - Parameter beginning: Returns the first bytes of the text, as many as its argument says if the text has as many.
  init<Beginning: Collection<UInt8>, Failure: Error>(
    of beginning: (_ count: Int) throws(Failure) -> Beginning
  ) throws(Failure) {
    for count in Self.bytesMax {
      let bytes = try beginning(count)
      if let shape = Self.shown(by: bytes, isWholeText: bytes.count < count, isLongest: count == Self.bytesMax.last) {
        self = shape
        return
      }
    }
    self = .values
  }

  /// Returns the shape of a text that begins with these bytes, or nil if more of them are needed.
  ///
  /// A server's log may begin with `[2026-11-20 10:15:30]`, and a line may be cut off after any bracket, so what follows the bracket must
  /// fit too.
  private static func shown(by bytes: some Collection<UInt8>, isWholeText: Bool, isLongest: Bool) -> InputShape? {
    var rest = bytes.trimmingByteOrderMark.drop { $0 <= Byte.space }
    let beginning = rest
    switch rest.popFirst() {
    case UInt8(ascii: "["):
      rest = rest.drop { $0 <= Byte.space }
      guard let next = rest.popFirst() else { return .values }
      if "{[".utf8.contains(next) {
        var text = BeginningOfArray()
        return text.shape(of: beginning, isWholeText: isWholeText) ?? (isLongest ? text.shapeOfEndless : nil)
      }
      // An array without elements is one only if nothing follows it: a line of a log may be that, too.
      return next == UInt8(ascii: "]") && rest.allSatisfy { $0 <= Byte.space } ? .values : .lines
    case UInt8(ascii: "{"): return goesOnBehindLine(rest.prefix(bytesMax[0])) ? .values : .lines
    default: return .lines
    }
  }

  /// Returns whether an object, of which this is the rest, is open at the end of its line and the next line goes on with it. A line that is
  /// merely cut off is followed by the next line's `{`.
  private static func goesOnBehindLine(_ rest: some Collection<UInt8>) -> Bool {
    var depth = 1
    var (isInString, isEscaped) = (false, false)
    var rest = rest[...]
    while let byte = rest.popFirst() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\n"): return !isInString && depth > 0 && isContinuation(rest.first { $0 > 0x20 })
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInString ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isInString ? 0 : 1
      default: break
      }
    }
    return false
  }

  private static func isContinuation(_ byte: UInt8?) -> Bool {
    byte.map("\"}],:".utf8.contains) ?? false
  }
}

/// Tells an array of objects from lines of which the first is cut off, such as `[[`, `[{"a":[1` or `[{"a":`.
///
/// Both may go on with a line that is an object. But in an array of objects a comma or a bracket follows that line, and among lines another
/// object does.
private struct BeginningOfArray {
  /// The brackets that are open, the array's own first.
  private var brackets = BracketStack()
  /// The last byte that is not blank; 0 after a string that the end of its line cut off.
  private var lastSign: UInt8 = 0
  private var isInString = false
  private var isEscaped = false

  private var isFirstLine = true
  private var isLineBegun = false
  /// The depth at which the line's object began; nil if the line is no object, or more than one.
  private var objectDepth: Int?
  /// Whether the line before was an object and nothing else.
  private var isBehindObject = false

  private var isFirstElementEnded = false
  /// Whether the first element is an array, which is no record, and begins on the first line.
  private var beginsWithTwoBrackets = false

  /// The shape of a text in which the first element has no end: an array that is no record is rather a line that was cut off.
  var shapeOfEndless: InputShape { beginsWithTwoBrackets ? .lines : .values }

  /// Returns the shape, or nil if these bytes do not decide.
  ///
  /// - Parameter bytes: The first bytes, beginning with the array's bracket.
  mutating func shape(of bytes: some Collection<UInt8>, isWholeText: Bool) -> InputShape? {
    for byte in bytes {
      if byte == Byte.lineFeed {
        endLine()
        continue
      }
      guard byte > Byte.space else {
        isEscaped = false
        continue
      }
      if !isLineBegun, let decided = shape(ofLineBeginningWith: byte) { return decided }
      take(byte)
      isLineBegun = true
      if brackets.isEmpty || hasElementOfSeveralLines { return .values }
    }
    guard isWholeText else { return isFirstLine && isFirstElementEnded && !beginsWithTwoBrackets ? .values : nil }
    endLine()
    // A text that is cut off after its first element is an array as far as it goes.
    if isBetweenElements, !beginsWithTwoBrackets { return .values }
    return isBehindObject ? .lines : shapeOfEndless
  }

  /// Whether an element has ended and none is open.
  private var isBetweenElements: Bool { isFirstElementEnded && brackets.depth <= 1 }

  /// Whether the first element ended on a later line than it began. An element that is all of its line decides nothing: the first sign of the
  /// next line does.
  private var hasElementOfSeveralLines: Bool {
    isBetweenElements && !isFirstLine && !beginsWithTwoBrackets && objectDepth != brackets.depth
  }

  /// Returns the shape if the first sign of a line decides.
  private func shape(ofLineBeginningWith sign: UInt8) -> InputShape? {
    if isBetweenElements { return lastSign == Byte.comma || ",]".utf8.contains(sign) ? .values : .lines }
    return isBehindObject && sign == Byte.openBrace ? .lines : nil
  }

  private mutating func take(_ byte: UInt8) {
    if isInString {
      takeInString(byte)
    } else {
      takeOutside(byte)
    }
    lastSign = byte
  }

  private mutating func takeInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == Byte.backslash {
      isEscaped = true
    } else if byte == Byte.quote {
      isInString = false
    }
  }

  private mutating func takeOutside(_ byte: UInt8) {
    if !isLineBegun {
      objectDepth = byte == Byte.openBrace ? brackets.depth : nil
    } else if objectDepth == brackets.depth {
      objectDepth = nil
    }
    switch byte {
    case Byte.quote: isInString = true
    case Byte.openBrace, Byte.openBracket:
      if brackets.depth == 1, isFirstLine, byte == Byte.openBracket { beginsWithTwoBrackets = true }
      brackets.open(byte)
    case Byte.closeBrace, UInt8(ascii: "]"):
      _ = brackets.close(byte)
      if brackets.depth <= 1 { isFirstElementEnded = true }
    default: break
    }
  }

  private mutating func endLine() {
    if isLineBegun {
      isBehindObject = !isFirstLine && !isInString && lastSign == Byte.closeBrace && objectDepth == brackets.depth
    }
    if isInString {
      isInString = false
      lastSign = 0
    }
    isEscaped = false
    isLineBegun = false
    isFirstLine = false
  }
}
