/// A parser of the text of a JSON number.
///
///     NumberText(text).integer  // -12 for "-12"
struct NumberText: ~Escapable {
  private let text: Span<UInt8>

  /// Creates a parser of a text, which need not be a number.
  @inline(__always)
  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  /// The value of a whole number of up to 18 digits without fraction, exponent and leading zeros, or `nil` for
  /// any other text.
  @inline(__always)
  var integer: Int64? {
    let isNegative = hasByte(UInt8(ascii: "-"), at: 0)
    var index = isNegative ? 1 : 0
    let digits = text.count &- index
    guard digits >= 1, digits <= Self.integerDigitsMax else { return nil }
    if text[unchecked: index] == UInt8(ascii: "0"), digits > 1 { return nil }
    var value: Int64 = 0
    while index < text.count {
      let digit = text[unchecked: index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
      index &+= 1
    }
    return isNegative ? 0 &- value : value
  }

  /// The number of digits that fit in 64 bits, whatever the digits are.
  private static let integerDigitsMax = 18

  /// The value, or `nil` if the text is not a JSON number, has more than 18 digits without a fraction, or is
  /// too large for a double.
  @inline(__always)
  var scalar: Scalar? {
    if let integer { return .integer(integer) }
    return fraction
  }

  /// The value of a number with a fraction or an exponent (RFC 8259 section 6), or `nil` for any other text.
  private var fraction: Scalar? {
    let start = hasByte(UInt8(ascii: "-"), at: 0) ? 1 : 0
    let wholeEnd = endOfDigits(from: start)
    guard wholeEnd > start, wholeEnd == start + 1 || text[start] != UInt8(ascii: "0") else { return nil }
    var end = wholeEnd
    if hasByte(UInt8(ascii: "."), at: end) {
      let digits = end + 1
      end = endOfDigits(from: digits)
      guard end > digits else { return nil }
    }
    if hasByte(UInt8(ascii: "e"), at: end) || hasByte(UInt8(ascii: "E"), at: end) {
      let sign = end + 1
      let digits = hasByte(UInt8(ascii: "+"), at: sign) || hasByte(UInt8(ascii: "-"), at: sign) ? sign + 1 : sign
      end = endOfDigits(from: digits)
      guard end > digits else { return nil }
    }
    guard end == text.count, end > wholeEnd else { return nil }
    let value = StructuralIndexer.number(text)
    return value.isFinite ? Scalar(number: value) : nil
  }

  /// Whether a byte is at an index, which may be after the end.
  @inline(__always)
  private func hasByte(_ byte: UInt8, at index: Int) -> Bool { index < text.count && text[unchecked: index] == byte }

  /// Returns the index of the first byte at or after `start` that is not a digit.
  private func endOfDigits(from start: Int) -> Int {
    text.endOfPrefix(from: start) { $0 &- UInt8(ascii: "0") < 10 }
  }
}
