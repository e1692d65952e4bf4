/// Appends JSON text to a byte buffer, in the shortest form that parses to the same value.
extension [UInt8] {
  /// Appends the UTF-8 of a text unchanged.
  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Appends a JSON string, including its quotes.
  ///
  /// Only the characters that RFC 8259 section 7 requires are escaped: the quote, the backslash and the control characters.
  mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        appendJSONEscape(of: byte)
      } else {
        append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a value. A double that represents exactly one whole number is written as an integer.
  ///
  /// - Precondition: A number is finite, for JSON has no text for others.
  mutating func appendJSON(_ value: EventValue) {
    switch value {
    case .string(let text): appendJSONString(text)
    case .integer(let number): append(text: String(number))
    case .double(let number): append(text: Self.text(of: number))
    case .bool(let flag): append(text: flag ? "true" : "false")
    case .null: append(text: "null")
    }
  }

  /// Appends members as a JSON object, in their order.
  mutating func appendJSONObject(_ members: [(key: String, value: EventValue)]) {
    append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONString(member.key)
      append(UInt8(ascii: ":"))
      appendJSON(member.value)
    }
    append(UInt8(ascii: "}"))
  }

  /// The largest magnitude up to which a double represents every whole number.
  private static let exactIntegerMax: UInt64 = 1 << 53

  private static func text(of number: Double) -> String {
    precondition(number.isFinite, "JSON has no text for \(number)")
    if let whole = Int64(exactly: number), whole.magnitude <= exactIntegerMax { return String(whole) }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
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
    default: append(text: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
    }
  }
}
