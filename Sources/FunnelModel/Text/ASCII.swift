extension UInt8 {
  /// Whether the byte is an ASCII digit.
  @inline(__always)
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is a lower-case ASCII letter.
  @inline(__always)
  var isLowercaseASCIILetter: Bool { self &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is an ASCII letter.
  @inline(__always)
  var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is an ASCII letter or part of a non-ASCII character; all of the latter count as letters.
  @inline(__always)
  var isLetter: Bool { isASCIILetter || self >= 0x80 }
}

extension [UInt8] {
  /// Appends the last `width` decimal digits of a non-negative number, with leading zeros.
  @inline(__always)
  mutating func appendDigits(_ value: Int, width: Int) {
    assert(value >= 0 && width > 0, "digits are those of a number that is not negative")
    var divisor = 1
    for _ in 1..<Swift.max(width, 1) { divisor *= 10 }
    var remainder = value
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder / divisor % 10))
      remainder %= divisor
      divisor /= 10
    }
  }
}

extension Span where Element == UInt8 {
  /// Returns whether the bytes from an index on start with the UTF-8 of a text.
  func hasText(_ text: String, at index: Int) -> Bool {
    assert(index >= 0 && index <= count, "the index is in the bytes or at their end")
    guard text.utf8.count <= count - index else { return false }
    var next = index
    for byte in text.utf8 {
      guard self[next] == byte else { return false }
      next += 1
    }
    return true
  }
}

extension String {
  /// Creates a string from bytes. Invalid UTF-8 is replaced.
  init(utf8 bytes: Span<UInt8>) {
    self.init(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
  }
}
