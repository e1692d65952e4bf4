/// Converts between bytes and pairs of hexadecimal digits. Digits are written in lower case and parsed in either case.
package enum Hexadecimal {
  /// Returns the ASCII digit of a value.
  ///
  /// - Precondition: The value is below 16.
  @inlinable
  @inline(__always)
  package static func digit(_ value: UInt8) -> UInt8 {
    assert(value < 16, "a hexadecimal digit has four bits")
    return value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
  }

  /// Returns the value of a digit, or `nil` for any other character.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns bytes as text, two digits each.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Parses pairs of digits. Returns `nil` if there is any other character, or an odd number of digits.
  package static func bytes(of digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}
