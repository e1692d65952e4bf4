/// The character encoding of an input. All inputs are read as UTF-8, to which the others are converted.
package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// The encoding of Windows for Western European languages.
  case windows1252 = "windows-1252"
  /// The encodings of Windows for the languages of Central Europe, Russian, Greek, Turkish, Hebrew, Arabic and the Baltic languages.
  case windows1250 = "windows-1250"
  case windows1251 = "windows-1251"
  case windows1253 = "windows-1253"
  case windows1254 = "windows-1254"
  case windows1255 = "windows-1255"
  case windows1256 = "windows-1256"
  case windows1257 = "windows-1257"
  case koi8Russian = "koi8-r"
  case macintosh
  case shiftJIS = "shift_jis"
  case japaneseEUC = "euc-jp"
  case chinese = "gb18030"
  case traditionalChinese = "big5"
  case koreanEUC = "euc-kr"

  /// The name by which the system's `iconv` knows the encoding.
  ///
  /// Three of them are those of Windows, which have more characters than the standards of the same names, as in the Encoding Standard.
  package var systemName: String {
    switch self {
    case .shiftJIS: "CP932"
    case .koreanEUC: "CP949"
    case .traditionalChinese: "BIG5-HKSCS"
    case .windows1250, .windows1251, .windows1252, .windows1253, .windows1254, .windows1255, .windows1256, .windows1257:
      "CP" + rawValue.drop { !$0.isNumber }
    case .utf8, .utf16LittleEndian, .utf16BigEndian, .koi8Russian, .macintosh, .japaneseEUC, .chinese: rawValue.uppercased()
    }
  }

  /// The encodings that are not recognized, so that the user has to name one. The more frequent ones come first.
  package static let unrecognized: [TextEncoding] = [
    .shiftJIS, .chinese, .windows1251, .koreanEUC, .japaneseEUC, .traditionalChinese, .windows1250, .windows1253, .windows1254,
    .windows1255, .windows1256, .windows1257, .koi8Russian, .macintosh,
  ]
}

extension TextEncoding {
  /// Detects the encoding of a text from its first bytes.
  ///
  /// UTF-16 is recognized by its byte order mark, or by the zero bytes of its ASCII characters. A text is Windows-1252 if it
  /// has bytes beyond ASCII, of which none are UTF-8, and nothing that no text in a Western European language has: most of its
  /// words are of ASCII letters.
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
    var highCount = 0
    /// The number of bytes beyond ASCII that have one on both sides.
    var surroundedCount = 0
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
      highCount += 1
      if index > 0, text[index - 1] >= 0x80, index + 1 < text.count, text[index + 1] >= 0x80 { surroundedCount += 1 }
      index += 1
    }
    return highCount > 0 && Double(surroundedCount) <= surroundedShareMax * Double(highCount)
  }

  /// The share of such bytes that a text in a Western European language has at most. Words in Cyrillic, Greek, Japanese or Chinese have
  /// more.
  private static let surroundedShareMax = 0.1

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
