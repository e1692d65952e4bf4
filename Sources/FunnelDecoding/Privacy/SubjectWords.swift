import FunnelSystem

/// Finds the texts that may be a subject in a line that can't be parsed.
///
/// Candidates are the texts between single or double quotes, or after the last quote, with escapes decoded; the texts
/// between JSON punctuation; and the words.
enum SubjectWords {
  /// A condition on a candidate.
  typealias Predicate = (Span<UInt8>) -> Bool

  /// The maximum length of a subject in bytes, and therefore of a candidate.
  private static let bytesMax = 128
  /// The length of the longest JSON escape of one byte: `\u0061`.
  private static let escapeBytesMax = 6
  /// The maximum length of a word in bytes, including white space around a subject.
  private static let wordBytesMax = 2 * bytesMax

  /// Returns whether one of the candidates in a line satisfies a predicate.
  static func contain(_ line: Span<UInt8>, _ matches: Predicate) -> Bool {
    if texts(of: line, matches) { return true }
    // In JSON inside a JSON string, such as a log of a log, the quotes are escaped.
    guard line.contains(Byte.backslash) else { return false }
    let plain = JSONEscapes.removed(from: line)
    return texts(of: plain.span, matches)
  }

  /// Returns whether one of the candidates satisfies a predicate, without decoding escapes outside quotes.
  private static func texts(of line: Span<UInt8>, _ matches: Predicate) -> Bool {
    quoted(by: Byte.quote, in: line, matches) || quoted(by: UInt8(ascii: "'"), in: line, matches)
      || words(in: line, where: isIDByte, matches) || words(in: line, where: isNotSeparator, matches)
      || words(in: line, where: isNotPunctuation, matches)
  }

  /// Returns whether a text between quotes, or after the last quote, satisfies a predicate.
  private static func quoted(by quote: UInt8, in line: Span<UInt8>, _ matches: Predicate) -> Bool {
    var start: Int?
    var index = 0
    var hasEscape = false
    while index < line.count {
      switch line[index] {
      case Byte.backslash:
        hasEscape = true
        index += 1
      case quote:
        if let textStart = start, index > textStart, index - textStart <= escapeBytesMax * bytesMax,
          contains(line.extracting(textStart..<index), unescaping: hasEscape, matches)
        {
          return true
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
    return contains(line.extracting(textStart..<line.count).trimmed, unescaping: hasEscape, matches)
  }

  /// Returns whether a text satisfies a predicate, after decoding its escapes if `unescaping` is true.
  private static func contains(_ text: Span<UInt8>, unescaping: Bool, _ matches: Predicate) -> Bool {
    guard unescaping else { return text.count <= bytesMax && matches(text) }
    let plain = JSONEscapes.removed(from: text)
    return plain.count <= bytesMax && matches(plain.span)
  }

  /// Returns whether a word, a longest sequence of bytes that satisfy `isOfWord`, satisfies a predicate after trimming.
  private static func words(in line: Span<UInt8>, where isOfWord: (UInt8) -> Bool, _ matches: Predicate) -> Bool {
    var start = 0
    while start < line.count {
      let end = line.endOfPrefix(from: start, where: isOfWord)
      if end > start, end - start <= wordBytesMax {
        let text = line.extracting(start..<end).trimmed
        if !text.isEmpty, text.count <= bytesMax, matches(text) { return true }
      }
      start = end + 1
    }
    return false
  }

  /// Returns whether a byte is a letter, a digit, `-` or `_`. Most IDs consist of these.
  private static func isIDByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Returns whether a byte is not JSON punctuation and therefore may be part of an unquoted value.
  private static func isNotPunctuation(_ byte: UInt8) -> Bool { !"\"':,{}[]".utf8.contains(byte) }

  /// Returns whether a byte is not a separator in common log formats.
  private static func isNotSeparator(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"\"'\\/,;=&?<>()[]{}".utf8.contains(byte)
  }
}

/// Decodes the bytes of a rejected line in several ways, because they need not be UTF-8.
enum TextReadings {
  /// Returns whether a decoding of a line satisfies a predicate.
  ///
  /// The decodings are the line itself and, if it contains zero bytes, the line without them and the line as UTF-16 of
  /// either byte order.
  static func contains(_ line: Span<UInt8>, where matches: SubjectWords.Predicate) -> Bool {
    if matches(line) { return true }
    // Each ASCII letter has one zero byte in UTF-16, and three in UTF-32.
    guard line.contains(0) else { return false }
    let bytes = [UInt8](copying: line)
    let withoutZeros = bytes.filter { $0 != 0 }
    if matches(withoutZeros.span) { return true }
    // A file in UTF-16 is split after each byte 0x0A, so a line may start and end with half a code unit.
    for start in 0...1 {
      for isBigEndian in [false, true] {
        let units = stride(from: start, to: bytes.count - 1, by: 2).map { index in
          let first = UInt16(bytes[index])
          let second = UInt16(bytes[index + 1])
          return isBigEndian ? first << 8 | second : second << 8 | first
        }
        let decoded = Array(String(decoding: units, as: UTF16.self).utf8)
        if matches(decoded.span) { return true }
      }
    }
    return false
  }
}
