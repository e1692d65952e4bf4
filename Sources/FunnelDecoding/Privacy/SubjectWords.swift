/// Finds the texts that may be a subject in a line that can't be parsed.
///
/// Candidates are the texts between single or double quotes, or after the last quote, with escapes decoded; the texts
/// between JSON punctuation; and the words.
enum SubjectWords {
  /// The maximum length of a subject in bytes, and therefore of a candidate.
  private static let bytesMax = 128
  /// The length of the longest JSON escape of one byte: `\u0061`.
  private static let escapeBytesMax = 6
  /// The maximum length of a word in bytes, including white space around a subject.
  private static let wordBytesMax = 2 * bytesMax

  /// Whether one of the candidates in a line satisfies a predicate.
  static func contain(_ line: UnsafeRawBufferPointer, _ matches: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if texts(of: line, matches) { return true }
    // In JSON inside a JSON string, such as a log of a log, the quotes are escaped.
    guard line.contains(UInt8(ascii: "\\")) else { return false }
    return JSONEscapes.removed(from: line).withUnsafeBytes { texts(of: $0, matches) }
  }

  /// Whether one of the candidates satisfies a predicate, without decoding escapes outside quotes.
  private static func texts(of line: UnsafeRawBufferPointer, _ matches: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    quoted(by: UInt8(ascii: "\""), in: line, matches) || quoted(by: UInt8(ascii: "'"), in: line, matches)
      || words(in: line, where: isIDByte, matches) || words(in: line, where: isNotSeparator, matches)
      || words(in: line, where: isNotPunctuation, matches)
  }

  /// Whether a text between quotes, or after the last quote, satisfies a predicate.
  private static func quoted(
    by quote: UInt8, in line: UnsafeRawBufferPointer, _ matches: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var start: Int?
    var index = 0
    var hasEscape = false
    while index < line.count {
      switch line[index] {
      case UInt8(ascii: "\\"):
        hasEscape = true
        index += 1
      case quote:
        if let textStart = start, index > textStart {
          let text = UnsafeRawBufferPointer(rebasing: line[textStart..<index])
          if text.count <= escapeBytesMax * bytesMax, holds(text, unescaping: hasEscape, matches) { return true }
        }
        // A quote may close one text or open another. In a malformed line, the two can't be distinguished.
        start = index + 1
        hasEscape = false
      default: break
      }
      index += 1
    }
    // The line may be truncated within a text.
    guard let textStart = start, textStart < line.count, line.count - textStart <= escapeBytesMax * bytesMax else {
      return false
    }
    return holds(trimmed(UnsafeRawBufferPointer(rebasing: line[textStart...])), unescaping: hasEscape, matches)
  }

  /// Returns a text without control characters and white space at its ends.
  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var text = text[...]
    while let first = text.first, first <= 0x20 { text = text.dropFirst() }
    while let last = text.last, last <= 0x20 { text = text.dropLast() }
    return UnsafeRawBufferPointer(rebasing: text)
  }

  /// Whether a text satisfies a predicate, after decoding its escapes if `unescaping` is true.
  private static func holds(
    _ text: UnsafeRawBufferPointer, unescaping: Bool, _ matches: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard unescaping else { return text.count <= bytesMax && matches(text) }
    let plain = JSONEscapes.removed(from: text)
    return plain.count <= bytesMax && plain.withUnsafeBytes { matches($0) }
  }

  /// Whether a word, a longest sequence of bytes that satisfy `isOfWord`, satisfies a predicate after trimming.
  private static func words(
    in line: UnsafeRawBufferPointer, where isOfWord: (UInt8) -> Bool, _ matches: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var start = 0
    for index in 0...line.count {
      if index < line.count, isOfWord(line[index]) { continue }
      if index > start, index - start <= wordBytesMax {
        let text = trimmed(UnsafeRawBufferPointer(rebasing: line[start..<index]))
        if !text.isEmpty, text.count <= bytesMax, matches(text) { return true }
      }
      start = index + 1
    }
    return false
  }

  /// Whether a byte is a letter, a digit, `-` or `_`. Most IDs consist of these.
  private static func isIDByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Whether a byte is not JSON punctuation and therefore may be part of an unquoted value.
  private static func isNotPunctuation(_ byte: UInt8) -> Bool { !"\"':,{}[]".utf8.contains(byte) }

  /// Whether a byte is not a separator in common log formats.
  private static func isNotSeparator(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"\"'\\/,;=&?<>()[]{}".utf8.contains(byte)
  }
}

/// Decodes the escapes of JSON strings.
enum JSONEscapes {
  /// Returns a text with its escapes decoded. Invalid escapes are kept unchanged.
  static func removed(from text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var remaining = text[...]
    while let byte = remaining.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = remaining.first else {
        bytes.append(byte)
        continue
      }
      if let plain = plainEscapes[letter] {
        remaining = remaining.dropFirst()
        bytes.append(plain)
      } else if let scalar = takeScalar(from: &remaining) {
        bytes.append(contentsOf: String(scalar).utf8)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// The bytes of the escapes with one letter, by the letter.
  private static let plainEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt8(ascii: "/"),
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
  ]

  /// Consumes `u` and four hexadecimal digits, twice for a surrogate pair, and returns the scalar.
  ///
  /// Returns `nil` and consumes nothing if the bytes are not an escape of a Unicode scalar.
  private static func takeScalar(from remaining: inout Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
    var lookahead = remaining
    guard let first = takeUnit(from: &lookahead) else { return nil }
    if let scalar = Unicode.Scalar(first) {
      remaining = lookahead
      return scalar
    }
    guard lookahead.popFirst() == UInt8(ascii: "\\"), let second = takeUnit(from: &lookahead),
      (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second)
    else { return nil }
    remaining = lookahead
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  /// Consumes `u` and four hexadecimal digits and returns the UTF-16 code unit, or `nil` if the bytes are others.
  private static func takeUnit(from remaining: inout Slice<UnsafeRawBufferPointer>) -> UInt16? {
    guard remaining.popFirst() == UInt8(ascii: "u"), remaining.count >= 4 else { return nil }
    let digits = String(decoding: remaining.prefix(4), as: UTF8.self)
    guard digits.utf8.allSatisfy({ $0.isLetterOrDigit }), let unit = UInt16(digits, radix: 16) else { return nil }
    remaining = remaining.dropFirst(4)
    return unit
  }
}
