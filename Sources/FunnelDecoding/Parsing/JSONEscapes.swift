import FunnelSystem

/// Finds the ends of JSON strings.
enum JSONText {
  /// The end of a string.
  struct End {
    /// The offset of the closing quote.
    let offset: Int
    /// Whether the string contains escapes.
    let hasEscapes: Bool
  }

  /// Returns the end of a string, or `nil` if there is no closing quote.
  ///
  /// - Parameter start: The offset after the opening quote.
  static func end(in line: Span<UInt8>, from start: Int) -> End? {
    var from = start
    var hasEscapes = false
    while let quote = line.firstIndex(of: Byte.quote, from: from) {
      // A quote after an odd number of backslashes is escaped.
      var first = quote
      while first > start, line[first - 1] == Byte.backslash { first -= 1 }
      if first < quote { hasEscapes = true }
      if (quote - first) % 2 == 0 {
        return End(offset: quote, hasEscapes: hasEscapes || line.extracting(start..<quote).contains(Byte.backslash))
      }
      from = quote + 1
    }
    return nil
  }
}

/// Decodes the escapes of JSON strings.
enum JSONEscapes {
  /// Returns a text with its escapes decoded. Invalid escapes are kept unchanged.
  static func removed(from text: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == Byte.backslash, index + 1 < text.count else {
        bytes.append(text[index])
        index += 1
        continue
      }
      if let plain = byte(ofEscape: text[index + 1]) {
        bytes.append(plain)
        index += 2
      } else if let (scalar, end) = scalar(in: text, at: index + 1) {
        bytes.append(contentsOf: String(scalar).utf8)
        index = end
      } else {
        bytes.append(Byte.backslash)
        index += 1
      }
    }
    return bytes
  }

  /// Returns the byte of an escape with one letter, or `nil` if there is no such escape.
  private static func byte(ofEscape letter: UInt8) -> UInt8? {
    switch letter {
    case Byte.quote, Byte.backslash, UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The number of bytes of `u` and four hexadecimal digits.
  private static let unitBytes = 5

  /// Returns the scalar that `u` and four hexadecimal digits at an index name, twice for a surrogate pair, and the index
  /// after them. Returns `nil` if the bytes name no scalar.
  private static func scalar(in text: Span<UInt8>, at index: Int) -> (scalar: Unicode.Scalar, end: Int)? {
    guard let first = unit(in: text, at: index) else { return nil }
    let end = index + unitBytes
    if let scalar = Unicode.Scalar(first) { return (scalar, end) }
    guard end < text.count, text[end] == Byte.backslash, let second = unit(in: text, at: end + 1),
      (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { return nil }
    return (scalar, end + 1 + unitBytes)
  }

  /// Returns the UTF-16 code unit that `u` and four hexadecimal digits at an index name, or `nil` if the bytes are others.
  private static func unit(in text: Span<UInt8>, at index: Int) -> UInt16? {
    guard index + unitBytes <= text.count, text[index] == UInt8(ascii: "u") else { return nil }
    let digits = text.extracting(index + 1..<index + unitBytes)
    return digits.allSatisfy(\.isLetterOrDigit) ? UInt16(digits.text, radix: 16) : nil
  }
}
