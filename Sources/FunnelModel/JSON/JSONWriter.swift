/// Appends JSON text to a byte buffer, in the shortest form that parses to the same value.
extension [UInt8] {
  /// Appends a JSON string, including its quotes. The bytes must be valid UTF-8.
  ///
  /// Only the characters that RFC 8259 section 7 requires are escaped: the quote, the backslash and the control characters.
  package mutating func appendJSONString(utf8 bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<bytes.count {
      let byte = bytes[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      start = index + 1
      appendJSONEscape(of: byte)
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string, including its quotes.
  package mutating func appendJSONString(_ text: String) {
    var text = text
    text.withUTF8 { appendJSONString(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Appends the UTF-8 of a string unchanged.
  @inline(__always)
  package mutating func append(text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  /// Appends the UTF-8 of a string unchanged.
  package mutating func append(text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends an integer in decimal.
  package mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var low = count
    var magnitude = value.magnitude
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
      magnitude /= 10
    } while magnitude > 0
    // The digits were appended from the last to the first.
    var high = count - 1
    while low < high {
      swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends a finite number as the shortest text that parses to it. A whole number has no `.0`.
  ///
  /// - Precondition: The number is finite.
  package mutating func appendJSONNumber(_ value: Double) {
    append(contentsOf: value.jsonText.utf8)
  }

  private mutating func appendJSONEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(text: "\\\"")
    case UInt8(ascii: "\\"): append(text: "\\\\")
    case 0x08: append(text: "\\b")
    case 0x09: append(text: "\\t")
    case 0x0A: append(text: "\\n")
    case 0x0C: append(text: "\\f")
    case 0x0D: append(text: "\\r")
    default:
      append(text: "\\u00")
      append(Hexadecimal.digit(byte >> 4))
      append(Hexadecimal.digit(byte & 15))
    }
  }
}

extension Double {
  /// The number's JSON text.
  ///
  /// - Precondition: The number is finite.
  package var jsonText: String {
    precondition(isFinite, "JSON has no text for \(self)")
    let text = description
    return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
  }

  /// Calls a closure with the number's JSON text (``Swift/Array/appendJSONNumber(_:)``), which has at most 24 bytes.
  ///
  /// - Precondition: The number is finite.
  package func withJSONText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    precondition(isFinite, "JSON has no text for \(self)")
    var text = description
    return text.withUTF8 { utf8 in
      let isWhole = utf8.count > 2 && utf8[utf8.count - 1] == UInt8(ascii: "0") && utf8[utf8.count - 2] == UInt8(ascii: ".")
      return body(UnsafeBufferPointer(rebasing: utf8.prefix(utf8.count - (isWhole ? 2 : 0))))
    }
  }
}
