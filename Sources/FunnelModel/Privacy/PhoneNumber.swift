/// Finds phone numbers in text: international ones by their plus sign, and any number after `tel:` or `sms:`.
///
///     +4915112345678    +49 (30) 123-4567    call +49 30 1234567 now
///     tel:4155552671    tel:+1(415)555-2671    sms:030 1234567
///
/// Digits alone are not a phone number, since they may be an id, a time or a price. Neither are digits directly after a letter, another
/// digit or an underscore (`10:15:30+0100`, `1.2.3+20261120`), or directly before one.
enum PhoneNumber {
  /// E.164 allows 15 digits. In running text at least 8 are required (three of the country code, five of the subscriber).
  private static let internationalDigits = 8...15
  /// A number that is the whole value may have 7 digits, as in Niue (+683 4xxx).
  private static let compactDigits = 7...15
  /// The digits as dialled after `tel:`, possibly 00 and 15 more. Fewer than 7 digits are emergency numbers and short codes.
  private static let dialledDigits = 7...17
  /// The longest separator in use is `) - `.
  private static let separatorsMax = 4

  /// Returns the number that begins with the plus sign at a position, or nil if there is none.
  static func range(fromPlus plus: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
    guard plus == 0 || !isWord(text[plus - 1]) && text[plus - 1] != UInt8(ascii: "+") else { return nil }
    var start = plus + 1
    if start < text.count, text[start] == UInt8(ascii: "(") { start += 1 }
    // No country code begins with 0.
    guard start < text.count, text[start].isASCIIDigit, text[start] != UInt8(ascii: "0") else { return nil }
    if let end = end(from: start, in: text, digits: internationalDigits) { return plus..<end }
    let isCompact = plus == 0 && compactDigits.contains(text.count - 1) && text[1...].allSatisfy(\.isASCIIDigit)
    return isCompact ? 0..<text.count : nil
  }

  /// Returns the scheme and number around the colon at a position, or nil if there is no number after `tel:` or `sms:`.
  static func range(behindColon colon: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let scheme = schemeStart(before: colon, in: text) else { return nil }
    var start = colon + 1
    if text[start...].starts(with: "//".utf8) { start += 2 }
    var separators = 0
    while separators < separatorsMax, let count = separatorByteCount(at: start, in: text) {
      start += count
      separators += 1
    }
    if text[start...].starts(with: "+".utf8) { start += 1 } else if text[start...].starts(with: "%2B".utf8) { start += 3 }
    if text[start...].starts(with: "(".utf8) { start += 1 }
    return end(from: start, in: text, digits: dialledDigits).map { scheme..<$0 }
  }

  /// The schemes of RFC 3966 and RFC 5724, and the equivalent ones of iOS and Android.
  private static let schemes: [StaticString] = ["tel", "sms", "telprompt", "smsto"]

  private static func schemeStart(before colon: Int, in text: UnsafeRawBufferPointer) -> Int? {
    for scheme in schemes {
      let start = colon - scheme.utf8CodeUnitCount
      guard start >= 0, start == 0 || !isWord(text[start - 1]) else { continue }
      let isScheme = (0..<scheme.utf8CodeUnitCount).allSatisfy { text[start + $0] | 0x20 == scheme.utf8Start[$0] }
      if isScheme { return start }
    }
    return nil
  }

  /// Returns the end of the longest number that begins at a position, has an allowed count of digits and ends a word, or nil.
  private static func end(from start: Int, in text: UnsafeRawBufferPointer, digits allowed: ClosedRange<Int>) -> Int? {
    var position = start
    var digits = 0
    var separators = 0
    var end: Int?
    while position < text.count {
      if text[position].isASCIIDigit {
        digits += 1
        separators = 0
        position += 1
        guard digits <= allowed.upperBound else { break }
        if digits >= allowed.lowerBound, isEnd(position, of: text) { end = position }
      } else if let count = separatorByteCount(at: position, in: text), separators < separatorsMax {
        separators += 1
        position += count
      } else {
        break
      }
    }
    return end
  }

  /// Returns whether no word continues at a position; a phone extension may follow (`x12`, `ext12`).
  private static func isEnd(_ position: Int, of text: UnsafeRawBufferPointer) -> Bool {
    guard position < text.count, isWord(text[position]) else { return true }
    let rest = text[position...]
    let letters = rest.prefix(4).prefix { $0.isASCIILetter }
    guard letters.elementsEqual("x".utf8) || letters.elementsEqual("ext".utf8) else { return false }
    return letters.endIndex < text.count && text[letters.endIndex].isASCIIDigit
  }

  /// Returns the length of the separator at a position, or nil if there is none.
  private static func separatorByteCount(at position: Int, in text: UnsafeRawBufferPointer) -> Int? {
    guard position < text.count else { return nil }
    switch text[position] {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"):
      return 1
    case UInt8(ascii: "%"): return text[position...].starts(with: "%20".utf8) ? 3 : nil
    // U+00A0, the no-break space.
    case 0xC2: return text[position...].starts(with: [0xC2, 0xA0]) ? 2 : nil
    // U+2000 to U+203F: the other spaces and dashes, and the directional marks that Contacts puts around a number.
    case 0xE2: return position + 2 < text.count && text[position + 1] == 0x80 ? 3 : nil
    default: return nil
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") }
}
