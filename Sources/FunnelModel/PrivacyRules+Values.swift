/// Values that are personal whatever their key. Most values are neither, so each check starts with what rejects fastest.
extension PrivacyRules {
  /// Whether the whole value is a phone number as E.164 writes it: `+` and 7 to 15 digits, the first not 0.
  @inline(__always)
  public static func isE164(_ value: UnsafeRawBufferPointer) -> Bool {
    guard value.count >= 8, value.count <= 16, value[0] == UInt8(ascii: "+"), value[1] != UInt8(ascii: "0") else {
      return false
    }
    return value.dropFirst().allSatisfy(isDigit)
  }

  /// Whether the whole value is an e-mail address: `local@domain.tld`.
  ///
  /// This takes what mail is really sent to (RFC 5321 section 4.1.2 without quoted local parts and address literals; RFC 6531's non-ASCII
  /// letters), dots anywhere in the local part (some carriers hand such addresses out), and asks for a top-level domain of two letters or more.
  @inline(__always)
  public static func isEmailAddress(_ value: UnsafeRawBufferPointer) -> Bool {
    // a@b.cc; 254 is the longest path of RFC 5321 section 4.5.3.1.3, without its angle brackets.
    guard value.count >= 6, value.count <= 254, let at = position(ofAtSignIn: value) else { return false }
    return isAddress(value, at: at)
  }

  private static func isAddress(_ value: UnsafeRawBufferPointer, at: Int) -> Bool {
    guard at >= 1, at <= 64 else { return false }
    for byte in value[..<at] where !isLocalPart(byte) { return false }
    let domain = UnsafeRawBufferPointer(rebasing: value[(at + 1)...])
    guard let lastDot = domain.lastIndex(of: UInt8(ascii: ".")), isDomain(domain) else { return false }
    let topLevel = domain[(lastDot + 1)...]
    guard topLevel.count >= 2, topLevel.allSatisfy({ isLetter($0) }) || topLevel.starts(with: "xn--".utf8) else { return false }
    return !isScaledImageName(domain)
  }

  /// Labels of letters, digits and inner hyphens, 1 to 63 bytes each.
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
      default:
        guard isLetter(byte) || isDigit(byte) else { return false }
        labelLength += 1
      }
      guard labelLength <= 63 else { return false }
      previous = byte
    }
    return labelLength > 0 && previous != UInt8(ascii: "-")
  }

  /// `icon@2x.png`: Apple's name for an image of twice the resolution, common in logs of apps.
  private static func isScaledImageName(_ domain: UnsafeRawBufferPointer) -> Bool {
    guard domain.count >= 6, domain.count <= 7, isDigit(domain[0]), domain[1] == UInt8(ascii: "x"),
      domain[2] == UInt8(ascii: ".")
    else {
      return false
    }
    let ending = domain[3...]
    return ["png", "jpg", "jpeg", "gif", "pdf", "svg", "webp", "heic"].contains { ending.elementsEqual($0.utf8) }
  }

  /// The first at sign, looked for eight bytes at a time.
  @inline(__always)
  private static func position(ofAtSignIn value: UnsafeRawBufferPointer) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = 0
    while index + 8 <= value.count {
      // A byte of `difference` is 0 where the value has an at sign; the first such byte is told exactly (Hacker's Delight, section 6-1).
      let difference = UInt64(littleEndian: value.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ (ones &* 0x40)
      let found = (difference &- ones) & ~difference & (ones &* 0x80)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < value.count {
      if value[index] == UInt8(ascii: "@") { return index }
      index += 1
    }
    return nil
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// A letter of ASCII, or a byte of any other letter: those are not told apart further.
  @inline(__always)
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte >= 0x80 }

  /// RFC 5322's `atext`, and the dot.
  @inline(__always)
  private static func isLocalPart(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "/"),
      UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }
}
