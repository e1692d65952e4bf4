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

  /// Returns the range of the address around the at sign at an index, or `nil` if there is no address.
  static func range(around at: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
    assert(text[at] == UInt8(ascii: "@"), "an address is around an at sign")
    guard let start = localPartStart(before: at, in: text) else { return nil }
    guard let end = domainEnd(from: at + 1, in: text) else { return nil }
    guard end - start <= addressBytesMax else { return nil }
    return start..<end
  }

  /// Returns the start of the local part that ends before an at sign, or `nil` if there is none.
  private static func localPartStart(before at: Int, in text: UnsafeRawBufferPointer) -> Int? {
    var start = at
    while start > 0, isPlain(text[start - 1]) { start -= 1 }
    // Signs such as braces are valid, but in running text they usually surround an address. One is accepted
    // only as the whole local part.
    if start == at, at > 0, isSign(text[at - 1]) { start -= 1 }
    guard start < at, at - start <= localPartBytesMax, start == 0 || text[start - 1] != UInt8(ascii: "@") else { return nil }
    return start
  }

  /// Returns the end of the longest domain that starts at an index, or `nil` if there is none.
  private static func domainEnd(from start: Int, in text: UnsafeRawBufferPointer) -> Int? {
    var end = start
    while end < text.count, text[end].isLetter || text[end].isASCIIDigit || isInnerSign(text[end]) {
      // An empty label means that the domain ended before it.
      if text[end] == UInt8(ascii: "."), end > start, text[end - 1] == UInt8(ascii: ".") { break }
      end += 1
    }
    // A dot or hyphen at the end belongs to the sentence.
    while end > start, isInnerSign(text[end - 1]) { end -= 1 }
    let domain = UnsafeRawBufferPointer(rebasing: text[start..<end])
    guard isDomain(domain), let dot = domain.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let topLevel = domain[(dot + 1)...]
    if topLevel.starts(with: "xn--".utf8) { return end }
    let letters = topLevel.prefix { $0.isLetter }
    // A hyphen may join further text to the top-level domain.
    guard letters.count >= 2, letters.endIndex == domain.endIndex || domain[letters.endIndex] == UInt8(ascii: "-"),
      !isScaledImageName(domain)
    else { return nil }
    return start + letters.endIndex
  }

  /// Returns whether a domain consists of labels of letters, digits and inner hyphens, 1 to 63 bytes each.
  private static func isDomain(_ domain: UnsafeRawBufferPointer) -> Bool {
    var labelLength = 0
    var previous = UInt8(ascii: ".")
    for byte in domain {
      switch byte {
      case UInt8(ascii: "."):
        guard labelLength > 0, previous != UInt8(ascii: "-") else { return false }
        labelLength = 0
      case UInt8(ascii: "-"):
        guard labelLength > 0 else { return false }
        labelLength += 1
      default: labelLength += 1
      }
      guard labelLength <= labelBytesMax else { return false }
      previous = byte
    }
    return labelLength > 0
  }

  /// Returns whether a domain is the end of a file name such as `icon@2x.png`, Apple's form for images of twice the resolution.
  private static func isScaledImageName(_ domain: UnsafeRawBufferPointer) -> Bool {
    guard domain.count >= 6, domain.count <= 7, domain[0].isASCIIDigit, domain[1] == UInt8(ascii: "x"),
      domain[2] == UInt8(ascii: ".")
    else {
      return false
    }
    let ending = domain[3...]
    return ["png", "jpg", "jpeg", "gif", "pdf", "svg", "webp", "heic"].contains { ending.elementsEqual($0.utf8) }
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
