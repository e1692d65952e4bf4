extension PropertyValue {
  /// Returns the value normalized for segments and conditions: values that read the same become equal.
  ///
  /// Clients disagree on types: one logs `true` and 4, another `"true"`, `"4"` or 4.0. Therefore:
  /// - A string that is a JSON number becomes that number, unless it has more digits than a double keeps. Two
  ///   long IDs stay different.
  /// - A double without a fraction becomes an integer.
  /// - The strings `true` and `false` become booleans.
  ///
  /// - Parameter isText: Whether the values of the key are always strings, such as versions: 5.1 is not 5.10.
  public func segmentValue(isText: Bool) -> PropertyValue {
    switch self {
    case .null: .null
    case .string(let text): isText ? self : Self.scalar(in: text) ?? self
    case .integer, .bool: isText ? .string(description) : self
    case .double(let number): isText ? .string(description) : Self.integer(number) ?? self
    }
  }

  /// Parses a number or a boolean, or returns `nil` if the text is neither.
  private static func scalar(in text: String) -> PropertyValue? {
    guard let first = text.utf8.first else { return nil }
    return switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number(in: text)
    case UInt8(ascii: "t"): text == "true" ? .bool(true) : nil
    case UInt8(ascii: "f"): text == "false" ? .bool(false) : nil
    default: nil
    }
  }

  private static func number(in text: String) -> PropertyValue? {
    guard let digits = DecimalDigits(text) else { return nil }
    if let integer = digits.integer { return .integer(integer) }
    guard let number = Double(text), number.isFinite, DecimalDigits(number.jsonText) == digits else { return nil }
    return .double(number)
  }

  private static func integer(_ number: Double) -> PropertyValue? { Int64(exactly: number).map(PropertyValue.integer) }
}

extension DecimalDigits {
  /// No `Int64` has more digits, and every number of so many digits fits in a `UInt64`.
  private static let int64DigitsMax = 19

  /// The number as a 64-bit integer, or `nil` if it has a fraction or does not fit.
  fileprivate var integer: Int64? {
    guard pointPlace >= significant.count, pointPlace <= Self.int64DigitsMax else { return nil }
    var magnitude: UInt64 = 0
    for index in 0..<pointPlace { magnitude = magnitude * 10 + UInt64(index < significant.count ? significant[index] : 0) }
    if isNegative { return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }
}

extension Double {
  fileprivate var jsonText: String { withJSONText { String(decoding: $0, as: UTF8.self) } }
}
