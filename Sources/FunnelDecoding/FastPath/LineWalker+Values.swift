import FunnelModel

extension LineWalker {
  // The parameters of these functions are the offset of a value and the offset of the token after it.

  /// Returns a string without its quotes and escapes, or `nil` if the value is not a valid string.
  @inline(__always)
  mutating func string(from value: Int, to end: Int) -> PaddedText? {
    guard text[value] == Byte.quote else { return nil }
    var close = end &- 1
    // Only white space separates a string from the next token.
    while text[close] != Byte.quote { close &-= 1 }
    guard close > value else { return nil }
    let string = text.text(at: value &+ 1, count: close &- value &- 1)
    guard hasBackslash, text.firstOffset(of: Byte.backslash, in: value &+ 1..<close) != nil else { return string }
    return scratch.unescape(string, with: indexer)
  }

  /// Returns a string that is short enough for an identifier and contains no personal data, or `nil` for any
  /// other value.
  @inline(__always)
  mutating func identifier(from value: Int, to end: Int) -> PaddedText? {
    guard let text = string(from: value, to: end), text.count <= Limits.identifierBytesMax, !isPersonal(text) else {
      return nil
    }
    return text
  }

  /// Whether an unescaped value contains personal data. Always `false` for trusted lines.
  @inline(__always)
  func isPersonal(_ value: PaddedText) -> Bool { personalValues?.contain(value) ?? false }

  /// Returns a scalar without personal data, or `nil` for any other value.
  @inline(__always)
  mutating func scalar(from value: Int, to end: Int) -> Scalar? {
    let first = text[value]
    if first == Byte.quote {
      guard let text = string(from: value, to: end), !isPersonal(text) else { return nil }
      return .string(text.borrowed)
    }
    let count = trimmedCount(from: value, to: end)
    // The constants are "true", "false" and "null" in ASCII, with the first letter in the lowest byte.
    switch first {
    case UInt8(ascii: "t"): return isWord(0x6575_7274, ofBytes: 4, at: value, count) ? .bool(true) : nil
    case UInt8(ascii: "f"): return isWord(0x65_736C_6166, ofBytes: 5, at: value, count) ? .bool(false) : nil
    case UInt8(ascii: "n"): return isWord(0x6C6C_756E, ofBytes: 4, at: value, count) ? .null : nil
    default: return NumberText(text.text(at: value, count: count).span).scalar
    }
  }

  /// Returns a whole number of up to 18 digits without fraction, exponent and leading zeros, or `nil` for any
  /// other value.
  @inline(__always)
  func wholeNumber(from value: Int, to end: Int) -> Int64? {
    NumberText(text.text(at: value, count: trimmedCount(from: value, to: end)).span).integer
  }

  /// Returns the time of an RFC 3339 string or of whole milliseconds since 1970, or `nil` for any other value
  /// or a time outside ``Timestamp/writable``.
  @inline(__always)
  mutating func timestamp(from value: Int, to end: Int) -> Timestamp? {
    guard text[value] == Byte.quote else {
      guard let milliseconds = wholeNumber(from: value, to: end) else { return nil }
      let timestamp = Timestamp(milliseconds: milliseconds)
      return Timestamp.writable.contains(timestamp) ? timestamp : nil
    }
    guard let text = string(from: value, to: end) else { return nil }
    if let timestamp = dates.timestamp(text) { return timestamp }
    guard let timestamp = Timestamp(rfc3339: text.span), Timestamp.writable.contains(timestamp) else { return nil }
    return timestamp
  }

  /// Returns the number of bytes between two offsets, without trailing white space.
  @inline(__always)
  private func trimmedCount(from value: Int, to end: Int) -> Int {
    var end = end
    while text[end &- 1] == 0x20 || text[end &- 1] == 0x09 || text[end &- 1] == 0x0D { end &-= 1 }
    return end &- value
  }

  /// Whether a value is a literal.
  ///
  /// - Parameters:
  ///   - expected: The literal in ASCII, as a little-endian word.
  ///   - expectedCount: The length of the literal, in bytes.
  ///   - value: The offset of the value.
  ///   - count: The length of the value, in bytes.
  @inline(__always)
  private func isWord(_ expected: UInt64, ofBytes expectedCount: Int, at value: Int, _ count: Int) -> Bool {
    count == expectedCount && text.word(at: value) & ByteWords.mask(expectedCount) == expected
  }
}
