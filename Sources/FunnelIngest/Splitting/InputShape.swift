import FunnelDecoding
internal import FunnelModel

/// The layout of a JSON text, which is detected from its first bytes.
enum InputShape: Hashable {
  /// One object a line.
  case lines
  /// An array of objects, objects that span several lines each, or several objects on a line.
  case values
  /// Objects around one array of records each.
  case envelopes

  /// The numbers of first bytes that are examined, one after another, until the shape is certain.
  ///
  /// 4096 bytes suffice for most texts. More are needed if the first element of an array is longer. An element
  /// that exceeds the limit of a line is rejected in both shapes.
  static let bytesMax = [4096, 64 << 10, Limits.lineBytesMax + 4096]

  /// Detects the shape of a text.
  ///
  /// - Parameters:
  ///   - recordsPath: The path of the records in an envelope, or `nil` to look for them.
  ///   - beginning: Returns the first `count` bytes of the text, or all bytes if there are fewer.
  init<Beginning: Collection<UInt8>, Failure: Error>(
    recordsPath: ImportedPath? = nil, of beginning: (_ count: Int) throws(Failure) -> Beginning
  ) throws(Failure) {
    for count in Self.bytesMax {
      let bytes = try beginning(count)
      let text = Array(bytes.trimmingByteOrderMark)
      switch RecordEnvelopeHead.find(in: text.span, path: recordsPath) {
      case .found:
        self = .envelopes
        return
      case .undecided where bytes.count == count && count != Self.bytesMax.last: continue
      case .undecided, .none: break
      }
      if let shape = Self.shown(by: bytes, isWholeText: bytes.count < count, isLongest: count == Self.bytesMax.last) {
        self = shape
        return
      }
    }
    self = .values
  }

  /// Returns the shape of a text that begins with these bytes, or `nil` if more bytes are needed.
  ///
  /// - Parameters:
  ///   - isWholeText: Whether the text has no more bytes.
  ///   - isLongest: Whether no more bytes will be examined, so the result must not be `nil` for an array.
  private static func shown(by bytes: some Collection<UInt8>, isWholeText: Bool, isLongest: Bool) -> InputShape? {
    var remainder = bytes.trimmingByteOrderMark.drop { $0 <= Byte.space }
    let beginning = remainder
    switch remainder.popFirst() {
    case UInt8(ascii: "["):
      // A bracket is not sufficient: a server's log may begin with `[2026-11-20 10:15:30]`, and a line may be
      // cut off after any bracket.
      remainder = remainder.drop { $0 <= Byte.space }
      guard let next = remainder.popFirst() else { return .values }
      if "{[".utf8.contains(next) {
        var text = BeginningOfArray()
        return text.shape(of: beginning, isWholeText: isWholeText) ?? (isLongest ? text.shapeOfEndless : nil)
      }
      // `[]` is an empty array only if nothing follows it. Otherwise it may be the first line of a log.
      return next == UInt8(ascii: "]") && remainder.allSatisfy { $0 <= Byte.space } ? .values : .lines
    case UInt8(ascii: "{"): return isNotOneLine(remainder.prefix(bytesMax[0])) ? .values : .lines
    default: return .lines
    }
  }

  /// Whether an object spans more than one line, or another object follows it, or one of the next lines, on the same line.
  ///
  /// - Parameter object: The bytes after the object's opening brace.
  private static func isNotOneLine(_ object: some Collection<UInt8>) -> Bool {
    var depth = 1
    var isInString = false
    var isEscaped = false
    var isFirst = true
    var remainder = object[...]
    while let byte = remainder.popFirst() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      // If the line is cut off, the next line begins with the `{` of another object.
      case UInt8(ascii: "\n"): return isFirst && !isInString && isContinuation(remainder.first { $0 > 0x20 })
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInString ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= isInString ? 0 : 1
        guard depth == 0 else { continue }
        if remainder.first(where: { $0 != Byte.space && $0 != UInt8(ascii: "\t") }) == Byte.openBrace { return true }
        // The next line is another object, or the text is not one of objects.
        remainder = remainder.drop { $0 <= Byte.space }
        guard remainder.popFirst() == Byte.openBrace else { return false }
        depth = 1
        isFirst = false
      default: break
      }
    }
    return false
  }

  /// Whether the first byte of a line can continue an object.
  private static func isContinuation(_ byte: UInt8?) -> Bool {
    byte.map("\"}],:".utf8.contains) ?? false
  }
}

/// Distinguishes an array of objects from lines of which the first is cut off, such as `[[`, `[{"a":[1` or `[{"a":`.
///
/// In both cases, the second line may be an object. In an array of objects, a comma or a bracket follows that
/// object. In lines, another object follows it.
private struct BeginningOfArray {
  /// The open brackets, the array's own first.
  private var brackets = BracketStack()
  /// The last byte that is not white space, or `nil` at the start and after a string that is cut off at the end of its line.
  private var lastSign: UInt8?
  private var isInString = false
  private var isEscaped = false

  private var isFirstLine = true
  /// Whether the current line contains a byte other than white space.
  private var isLineBegun = false
  /// The bracket depth at which the line's object began, or `nil` if the line is not exactly one object so far.
  private var objectDepth: Int?
  /// Whether the previous line was exactly one object. Always `false` for the first line.
  private var isAfterObject = false

  private var isFirstElementEnded = false
  /// Whether the first element is an array that begins on the first line.
  private var beginsWithTwoBrackets = false

  /// The shape of a text whose first element has no end. A record is never an array, so two brackets are more
  /// likely a line that is cut off.
  var shapeOfEndless: InputShape { beginsWithTwoBrackets ? .lines : .values }

  /// Returns the shape, or `nil` if more bytes are needed.
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
    // A text that is cut off after its first element is an incomplete array.
    if isBetweenElements, !beginsWithTwoBrackets { return .values }
    return isAfterObject ? .lines : shapeOfEndless
  }

  /// Whether an element has ended and none is open.
  private var isBetweenElements: Bool { isFirstElementEnded && brackets.depth <= 1 }

  /// Whether the first element ended on a later line than it began, and not as the object of a line: such an
  /// object may be in either shape.
  private var hasElementOfSeveralLines: Bool {
    isBetweenElements && !isFirstLine && !beginsWithTwoBrackets && objectDepth != brackets.depth
  }

  /// Returns the shape if the first byte of a line determines it, `nil` otherwise.
  private func shape(ofLineBeginningWith sign: UInt8) -> InputShape? {
    if isBetweenElements { return lastSign == Byte.comma || ",]".utf8.contains(sign) ? .values : .lines }
    return isAfterObject && sign == Byte.openBrace ? .lines : nil
  }

  /// Updates the state with a byte that is not white space.
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

  /// Updates the state at the end of a line. A string can't span lines, so an open one was cut off.
  private mutating func endLine() {
    if isLineBegun {
      isAfterObject = !isFirstLine && !isInString && lastSign == Byte.closeBrace && objectDepth == brackets.depth
    }
    if isInString {
      isInString = false
      lastSign = nil
    }
    isEscaped = false
    isLineBegun = false
    isFirstLine = false
  }
}
