/// Parses the text of a JSON number.
struct NumberText {
  let start: UnsafePointer<UInt8>
  let count: Int

  /// The value of a whole number of up to 18 digits without fraction, exponent and leading zeros, or `nil` for
  /// any other text.
  @inline(__always)
  var integer: Int64? {
    var index = 0
    let isNegative = count > 0 && start[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    let digits = count &- index
    // Every number of 18 digits fits in 64 bits.
    guard digits >= 1, digits <= 18 else { return nil }
    if start[index] == UInt8(ascii: "0"), digits > 1 { return nil }
    var value: Int64 = 0
    while index < count {
      let digit = start[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
      index &+= 1
    }
    return isNegative ? 0 &- value : value
  }

  /// The value, or `nil` if the text is not a JSON number, has more than 18 digits without a fraction, or is
  /// too large for a double.
  @inline(__always)
  var scalar: Scalar? {
    if let integer { return .integer(integer) }
    return fraction
  }

  /// The value of a number with a fraction or an exponent (RFC 8259 section 6), or `nil` for any other text.
  private var fraction: Scalar? {
    var index = count > 0 && start[0] == UInt8(ascii: "-") ? 1 : 0
    let whole = skipDigits(&index)
    guard whole >= 1, whole == 1 || start[index - whole] != UInt8(ascii: "0") else { return nil }
    let wholeEnd = index
    if index < count, start[index] == UInt8(ascii: ".") {
      index += 1
      guard skipDigits(&index) >= 1 else { return nil }
    }
    if index < count, start[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < count, start[index] == UInt8(ascii: "+") || start[index] == UInt8(ascii: "-") { index += 1 }
      guard skipDigits(&index) >= 1 else { return nil }
    }
    guard index == count, index > wholeEnd else { return nil }
    let value = StructuralIndexer.number(start, count: count)
    return value.isFinite ? Scalar(number: value) : nil
  }

  /// Advances an index past digits, and returns their number.
  private func skipDigits(_ index: inout Int) -> Int {
    let first = index
    while index < count, start[index] &- UInt8(ascii: "0") < 10 { index += 1 }
    return index - first
  }
}
