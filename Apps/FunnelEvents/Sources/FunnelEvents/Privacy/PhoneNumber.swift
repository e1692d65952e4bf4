/// Finds phone numbers in text: international numbers with a plus sign, and any number after a scheme such as `tel:` or `sms:`.
///
///     +4915112345678    +49 (30) 123-4567    call +49 30 1234567 now
///     tel:4155552671    tel:+1(415)555-2671    sms:030 1234567
///
/// Digits alone are not a phone number, since they may be an ID, a time or a price. A plus sign directly after
/// a letter, a digit or an underscore (`10:15:30+0100`, `1.2.3+20261120`) does not start a number, and a number
/// does not end directly before one of them.
enum PhoneNumber {
  /// The digits of an international number in running text. E.164 allows 15. At least 8 are required, three of
  /// the country code and five of the subscriber.
  private static let internationalDigits = 8...15
  /// The digits of an international number that is the whole value. It may have 7, as in Niue (+683 4xxx).
  private static let compactDigits = 7...15
  /// The digits of a number after a scheme, possibly 00 and 15 more. Fewer than 7 are emergency numbers and short codes.
  private static let dialedDigits = 7...17
  /// The maximum number of separators in a row. The longest sequence in use is `) - `.
  private static let separatorsMax = 4

  /// Returns the range of the number that starts with the plus sign at an index, or `nil` if there is none.
  static func range(fromPlus plus: Int, in text: [UInt8]) -> Range<Int>? {
    assert(text[plus] == UInt8(ascii: "+"), "an international number starts with a plus sign")
    guard plus == 0 || !isWord(text[plus - 1]) && text[plus - 1] != UInt8(ascii: "+") else { return nil }
    var start = plus + 1
    if start < text.count, text[start] == UInt8(ascii: "(") { start += 1 }
    // No country code begins with 0.
    guard start < text.count, text[start].isASCIIDigit, text[start] != UInt8(ascii: "0") else { return nil }
    if let end = end(from: start, in: text, digits: internationalDigits) { return plus..<end }
    let isCompact = plus == 0 && compactDigits.contains(text.count - 1) && (1..<text.count).allSatisfy { text[$0].isASCIIDigit }
    return isCompact ? 0..<text.count : nil
  }

  /// Returns the range of the scheme and the number around the colon at an index, or `nil` if there is no scheme or no number.
  static func range(aroundColon colon: Int, in text: [UInt8]) -> Range<Int>? {
    assert(text[colon] == UInt8(ascii: ":"), "a scheme ends with a colon")
    guard let scheme = schemeStart(before: colon, in: text) else { return nil }
    var start = colon + 1
    if text.hasText("//", at: start) { start += 2 }
    var separators = 0
    while separators < separatorsMax, let count = separatorByteCount(at: start, in: text) {
      start += count
      separators += 1
    }
    if let sign = ["+", "%2B"].first(where: { text.hasText($0, at: start) }) { start += sign.utf8.count }
    if text.hasText("(", at: start) { start += 1 }
    return end(from: start, in: text, digits: dialedDigits).map { scheme..<$0 }
  }

  /// The schemes of RFC 3966 and RFC 5724, and the equivalent ones of iOS and Android.
  private static let schemes = ["tel", "sms", "telprompt", "smsto"].map { Array($0.utf8) }

  /// Returns the start of the scheme that ends before a colon, or `nil` if there is none.
  private static func schemeStart(before colon: Int, in text: [UInt8]) -> Int? {
    for scheme in schemes {
      let start = colon - scheme.count
      guard start >= 0, start == 0 || !isWord(text[start - 1]) else { continue }
      let isScheme = scheme.indices.allSatisfy { text[start + $0] | 0x20 == scheme[$0] }
      if isScheme { return start }
    }
    return nil
  }

  /// Returns the end of the longest number that starts at an index, has an allowed number of digits and ends at
  /// a word boundary, or `nil` if there is none.
  private static func end(from start: Int, in text: [UInt8], digits allowed: ClosedRange<Int>) -> Int? {
    var index = start
    var digits = 0
    var separators = 0
    var end: Int?
    while index < text.count {
      if text[index].isASCIIDigit {
        digits += 1
        separators = 0
        index += 1
        guard digits <= allowed.upperBound else { break }
        if digits >= allowed.lowerBound, isEnd(index, of: text) { end = index }
      } else if let count = separatorByteCount(at: index, in: text), separators < separatorsMax {
        separators += 1
        index += count
      } else {
        break
      }
    }
    return end
  }

  /// Returns whether a number may end before an index: at a word boundary, or before a phone extension (`x12`, `ext12`).
  private static func isEnd(_ index: Int, of text: [UInt8]) -> Bool {
    guard index < text.count, isWord(text[index]) else { return true }
    return ["x", "ext"].contains { word in
      let end = index + word.utf8.count
      return text.hasText(word, at: index) && end < text.count && text[end].isASCIIDigit
    }
  }

  /// Returns the length in bytes of the separator at an index, or `nil` if there is none.
  private static func separatorByteCount(at index: Int, in text: [UInt8]) -> Int? {
    guard index < text.count else { return nil }
    switch text[index] {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"):
      return 1
    case UInt8(ascii: "%"): return text.hasText("%20", at: index) ? 3 : nil
    // U+00A0, the no-break space.
    case 0xC2: return text.hasText("\u{A0}", at: index) ? 2 : nil
    // U+2000 to U+203F: the other spaces and dashes, and the directional marks that Contacts puts around a number.
    case 0xE2: return index + 2 < text.count && text[index + 1] == 0x80 ? 3 : nil
    default: return nil
    }
  }

  /// Returns whether a byte is an ASCII letter, a digit or an underscore.
  private static func isWord(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") }
}
