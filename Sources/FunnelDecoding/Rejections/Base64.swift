// Base64 (RFC 4648 section 4), for rejected lines that are not valid UTF-8. They are rare, so the code is
// simple, not fast.
extension [UInt8] {
  private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends bytes in Base64, with padding.
  mutating func appendBase64(_ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<Swift.min(start + 3, bytes.count)]
      let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        append(index <= group.count ? Self.base64Digits[Int(word >> UInt32(18 - 6 * index)) & 63] : UInt8(ascii: "="))
      }
    }
  }

  /// Decodes Base64 with padding, or returns `nil` if the text is invalid.
  init?(base64 text: String) {
    self = []
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    for start in stride(from: 0, to: digits.count, by: 4) {
      let group = digits[start..<start + 4].prefix { $0 != UInt8(ascii: "=") }
      guard group.count >= 2, start + 4 == digits.count || group.count == 4 else { return nil }
      var word: UInt32 = 0
      for digit in group {
        guard let value = Self.base64Digits.firstIndex(of: digit) else { return nil }
        word = word << 6 | UInt32(value)
      }
      word <<= UInt32(6 * (4 - group.count))
      for index in 0..<group.count - 1 { append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * index))) }
    }
  }
}
