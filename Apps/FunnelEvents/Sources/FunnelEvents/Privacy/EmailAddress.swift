/// Finds e-mail addresses in text: `local@domain.tld`.
///
/// Addresses have the syntax that is used in practice: RFC 5321 section 4.1.2 without quoted local parts and
/// address literals, with the non-ASCII letters of RFC 6531. Dots may be anywhere in the local part (some
/// carriers issue such addresses), and the top-level domain must have at least two letters.
enum EmailAddress {
  /// The longest path of RFC 5321 section 4.5.3.1.3, without its angle brackets.
  private static let addressBytesMax = 254
  /// The longest local part of RFC 5321 section 4.5.3.1.1.
  private static let localPartBytesMax = 64
  /// The longest label of RFC 1035 section 2.3.4.
  private static let labelBytesMax = 63
  private static let topLevelLettersMin = 2

  /// Returns the range of the address around the at sign at an index, or `nil` if there is no address.
  static func range(around at: Int, in text: [UInt8]) -> Range<Int>? {
    assert(text[at] == UInt8(ascii: "@"), "an address is around an at sign")
    guard let start = localPartStart(before: at, in: text) else { return nil }
    guard let end = domainEnd(from: at + 1, in: text) else { return nil }
    guard end - start <= addressBytesMax else { return nil }
    return start..<end
  }

  /// Returns the start of the local part that ends before an at sign, or `nil` if there is none.
  private static func localPartStart(before at: Int, in text: [UInt8]) -> Int? {
    var start = at
    while start > 0, isPlain(text[start - 1]) { start -= 1 }
    // Signs such as braces are valid, but in running text they usually surround an address. One is accepted
    // only as the whole local part.
    if start == at, at > 0, isSign(text[at - 1]) { start -= 1 }
    guard start < at, at - start <= localPartBytesMax, start == 0 || text[start - 1] != UInt8(ascii: "@") else { return nil }
    return start
  }

  /// Returns the end of the longest domain that starts at an index, or `nil` if there is none.
  private static func domainEnd(from start: Int, in text: [UInt8]) -> Int? {
    var end = start
    while end < text.count, text[end].isLetter || text[end].isASCIIDigit || isInnerSign(text[end]) {
      // An empty label means that the domain ended before it.
      if text[end] == UInt8(ascii: "."), end > start, text[end - 1] == UInt8(ascii: ".") { break }
      end += 1
    }
    // A dot or hyphen at the end belongs to the sentence.
    while end > start, isInnerSign(text[end - 1]) { end -= 1 }
    guard isDomain(start..<end, of: text) else { return nil }
    var topLevel = end
    while topLevel > start, text[topLevel - 1] != UInt8(ascii: ".") { topLevel -= 1 }
    guard topLevel > start else { return nil }
    if text.hasText("xn--", at: topLevel), topLevel + "xn--".utf8.count <= end { return end }
    var lettersEnd = topLevel
    while lettersEnd < end, text[lettersEnd].isLetter { lettersEnd += 1 }
    // A hyphen may join further text to the top-level domain.
    guard lettersEnd - topLevel >= topLevelLettersMin, lettersEnd == end || text[lettersEnd] == UInt8(ascii: "-"),
      !isScaledImageName(start..<end, of: text)
    else { return nil }
    return lettersEnd
  }

  /// Returns whether a domain consists of labels of letters, digits and inner hyphens, 1 to 63 bytes each.
  private static func isDomain(_ range: Range<Int>, of text: [UInt8]) -> Bool {
    var labelLength = 0
    var previous = UInt8(ascii: ".")
    for index in range {
      switch text[index] {
      case UInt8(ascii: "."):
        guard labelLength > 0, previous != UInt8(ascii: "-") else { return false }
        labelLength = 0
      case UInt8(ascii: "-"):
        guard labelLength > 0 else { return false }
        labelLength += 1
      default: labelLength += 1
      }
      guard labelLength <= labelBytesMax else { return false }
      previous = text[index]
    }
    return labelLength > 0
  }

  /// The extensions of image files whose names may contain an at sign.
  private static let imageExtensions = ["png", "jpg", "jpeg", "gif", "pdf", "svg", "webp", "heic"]

  /// Returns whether a domain is the end of a file name such as `icon@2x.png`, Apple's form for images of twice the resolution.
  private static func isScaledImageName(_ range: Range<Int>, of text: [UInt8]) -> Bool {
    let scale = range.lowerBound
    let scaleBytes = 3  // such as `2x.`
    guard range.count > scaleBytes, text[scale].isASCIIDigit, text.hasText("x.", at: scale + 1) else { return false }
    return imageExtensions.contains {
      range.count == scaleBytes + $0.utf8.count && text.hasText($0, at: scale + scaleBytes)
    }
  }

  /// Returns whether a byte is one of those that may occur anywhere in a local part.
  private static func isPlain(_ byte: UInt8) -> Bool {
    if byte.isLetter || byte.isASCIIDigit { return true }
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "~"): return true
    default: return false
    }
  }

  /// Returns whether a byte is one of the other characters of RFC 5322's `atext`.
  private static func isSign(_ byte: UInt8) -> Bool { "!#$%&'*/=?^`{|}".utf8.contains(byte) }

  /// Returns whether a byte is a dot or hyphen, the bytes of a domain other than letters and digits.
  private static func isInnerSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") }
}
