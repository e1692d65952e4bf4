extension UInt8 {
  /// Whether the byte is an ASCII digit.
  var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is a lower-case ASCII letter.
  var isLowercaseASCIILetter: Bool { self &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is an ASCII letter.
  var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is an ASCII letter or part of a non-ASCII character; all of the latter count as letters.
  var isLetter: Bool { isASCIILetter || self >= 0x80 }
}

extension [UInt8] {
  /// Returns whether the bytes from an index on start with the UTF-8 of a text.
  func hasText(_ text: String, at index: Int) -> Bool {
    assert(index >= 0 && index <= count, "the index is in the bytes or at their end")
    return self[index...].starts(with: text.utf8)
  }
}
