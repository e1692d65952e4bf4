/// Finds the texts that may be a subject in a line too malformed to parse.
///
/// Candidates are the texts between quotes of either kind, or behind the last quote, with their escapes decoded; the texts between JSON
/// punctuation; and the words.
enum SubjectWords {
  /// The maximum length of a subject in bytes, and therefore of a candidate.
  private static let bytesMax = 128

  /// Returns whether one of the candidates satisfies a predicate.
  static func contain(_ line: UnsafeRawBufferPointer, _ isWanted: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if texts(of: line, isWanted) { return true }
    // In JSON nested in a JSON string, or in a log of a log, the quotes are escaped.
    guard line.contains(UInt8(ascii: "\\")) else { return false }
    return JSONEscapes.removed(from: line).withUnsafeBytes { texts(of: $0, isWanted) }
  }

  private static func texts(of line: UnsafeRawBufferPointer, _ isWanted: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    quoted(by: UInt8(ascii: "\""), in: line, isWanted) || quoted(by: UInt8(ascii: "'"), in: line, isWanted)
      || words(in: line, parted: isPlain, isWanted) || words(in: line, parted: isNoSeparator, isWanted)
      || words(in: line, parted: isNoMark, isWanted)
  }

  private static func quoted(
    by quote: UInt8, in line: UnsafeRawBufferPointer, _ isWanted: (UnsafeRawBufferPointer) -> Bool
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
        if let begun = start, index > begun {
          let text = UnsafeRawBufferPointer(rebasing: line[begun..<index])
          // An escape (`\u0061`) takes up to six bytes for one of the decoded text.
          if text.count <= 6 * bytesMax, holds(text, unescaping: hasEscape, isWanted) { return true }
        }
        // A quote may end one text and begin another; in a malformed line the two cannot be told apart.
        start = index + 1
        hasEscape = false
      default: break
      }
      index += 1
    }
    // The line may have been cut within a text.
    guard let begun = start, begun < line.count, line.count - begun <= 6 * bytesMax else { return false }
    return holds(trimmed(UnsafeRawBufferPointer(rebasing: line[begun...])), unescaping: hasEscape, isWanted)
  }

  private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var text = text[...]
    while let first = text.first, first <= 0x20 { text = text.dropFirst() }
    while let last = text.last, last <= 0x20 { text = text.dropLast() }
    return UnsafeRawBufferPointer(rebasing: text)
  }

  private static func holds(
    _ text: UnsafeRawBufferPointer, unescaping: Bool, _ isWanted: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard unescaping else { return text.count <= bytesMax && isWanted(text) }
    let plain = JSONEscapes.removed(from: text)
    return plain.count <= bytesMax && plain.withUnsafeBytes { isWanted($0) }
  }

  private static func words(
    in line: UnsafeRawBufferPointer, parted isOfWord: (UInt8) -> Bool, _ isWanted: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var start = 0
    for index in 0...line.count {
      if index < line.count, isOfWord(line[index]) { continue }
      if index > start, index - start <= 2 * bytesMax {
        let text = trimmed(UnsafeRawBufferPointer(rebasing: line[start..<index]))
        if !text.isEmpty, text.count <= bytesMax, isWanted(text) { return true }
      }
      start = index + 1
    }
    return false
  }

  /// Returns whether a byte is a letter, a digit, `-` or `_`, which most ids consist of.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Returns whether a byte is not JSON punctuation, and so may be part of an unquoted value.
  private static func isNoMark(_ byte: UInt8) -> Bool { !"\"':,{}[]".utf8.contains(byte) }

  /// Returns whether a byte is not a separator in common log formats.
  private static func isNoSeparator(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"\"'\\/,;=&?<>()[]{}".utf8.contains(byte)
  }
}

/// Decodes the escapes of JSON strings.
enum JSONEscapes {
  /// Returns the text with its escapes decoded; invalid escapes are kept unchanged.
  static func removed(from text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.first else {
        bytes.append(byte)
        continue
      }
      if let plain = plainEscapes[letter] {
        rest = rest.dropFirst()
        bytes.append(plain)
      } else if let scalar = takeScalar(from: &rest) {
        bytes.append(contentsOf: String(scalar).utf8)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static let plainEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt8(ascii: "/"),
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
  ]

  /// Consumes `u` and four hexadecimal digits, twice for a surrogate pair; consumes nothing and returns nil if they do not form a scalar.
  private static func takeScalar(from rest: inout Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
    var behind = rest
    guard let first = takeUnit(from: &behind) else { return nil }
    if let scalar = Unicode.Scalar(first) {
      rest = behind
      return scalar
    }
    guard behind.popFirst() == UInt8(ascii: "\\"), let second = takeUnit(from: &behind),
      (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second)
    else { return nil }
    rest = behind
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private static func takeUnit(from rest: inout Slice<UnsafeRawBufferPointer>) -> UInt16? {
    guard rest.popFirst() == UInt8(ascii: "u"), rest.count >= 4 else { return nil }
    let digits = String(decoding: rest.prefix(4), as: UTF8.self)
    guard digits.utf8.allSatisfy({ $0.isLetterOrDigit }), let unit = UInt16(digits, radix: 16) else { return nil }
    rest = rest.dropFirst(4)
    return unit
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
