/// The character encoding of an input. All inputs are read as UTF-8, to which the others are converted.
package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// The encoding of Windows for Western European languages.
  case windows1252 = "windows-1252"
}

extension TextEncoding {
  /// Detects the encoding of a text from its first bytes.
  ///
  /// UTF-16 is recognized by its byte order mark, or by the zero bytes of its ASCII characters. A text is Windows-1252 if it
  /// has bytes beyond ASCII, of which none are UTF-8, and nothing that no text has.
  package init(detecting beginning: Span<UInt8>) {
    self =
      Self.byMark(beginning) ?? Self.byZeros(beginning)
      ?? (Self.isWindows1252(beginning) ? .windows1252 : .utf8)
  }

  private static func byMark(_ text: Span<UInt8>) -> TextEncoding? {
    guard text.count >= 2 else { return nil }
    switch (text[0], text[1]) {
    case (0xFF, 0xFE): return .utf16LittleEndian
    case (0xFE, 0xFF): return .utf16BigEndian
    default: return nil
    }
  }

  /// The number of first bytes in which the zero bytes of UTF-16 are looked for.
  private static let sampledBytesMax = 64

  /// Returns UTF-16 if every other one of the first bytes is zero, and the bytes between are not.
  private static func byZeros(_ text: Span<UInt8>) -> TextEncoding? {
    let count = min(text.count, sampledBytesMax) & ~1
    guard count >= 4 else { return nil }
    var zeros = (even: 0, odd: 0)
    for index in 0..<count where text[index] == 0 {
      if index % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    if zeros.even == 0, zeros.odd == count / 2 { return .utf16LittleEndian }
    return zeros.odd == 0 && zeros.even == count / 2 ? .utf16BigEndian : nil
  }

  private static func isWindows1252(_ text: Span<UInt8>) -> Bool {
    var hasHighByte = false
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte < 0x80 {
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return false }
        index += 1
        continue
      }
      // One character of UTF-8 shows that the other bytes are damage.
      if isUTF8Character(text, at: index) || Windows1252.scalars[Int(byte) - 0x80] == nil { return false }
      hasHighByte = true
      index += 1
    }
    return hasHighByte
  }

  /// Returns whether a character of several bytes in UTF-8 begins at an index.
  private static func isUTF8Character(_ text: Span<UInt8>, at index: Int) -> Bool {
    let first = text[index]
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard (0xC2...0xF4).contains(first), index + count <= text.count else { return false }
    return (1..<count).allSatisfy { text[index + $0] & 0xC0 == 0x80 }
  }
}

/// The characters of Windows-1252 beyond ASCII.
///
/// <https://encoding.spec.whatwg.org/index-windows-1252.txt>, without the five bytes that Windows does not define.
package enum Windows1252 {
  /// The characters of the bytes from 0x80 on, or `nil` for a byte that is not defined.
  package static let scalars: [Unicode.Scalar?] = {
    let first: [UInt32] = [
      0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
      0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
    return (first + Array(0xA0...0xFF)).map { $0 == 0 ? nil : Unicode.Scalar($0) }
  }()
}
