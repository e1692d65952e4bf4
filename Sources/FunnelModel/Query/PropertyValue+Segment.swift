extension PropertyValue {
  /// Returns the value as segments and conditions compare it: two values are equal if a person would read the same from both.
  ///
  /// Clients disagree on types: one logs `true` and 4, another `"true"`, `"4"` or 4.0. A text that reads as a JSON number is therefore that
  /// number, a fraction without a remainder is an integer, and the texts `true` and `false` are booleans. A number with more digits than a
  /// double keeps stays a text, so that two long ids are never taken for one.
  ///
  /// - Parameter isText: Whether the key's values are texts whatever they look like, as those of versions are: 5.1 is not 5.10.
  public func segmentValue(isText: Bool) -> PropertyValue {
    switch self {
    case .null: .null
    case .string(let text): isText ? self : Self.scalar(in: text) ?? self
    case .integer, .bool: isText ? .string(description) : self
    case .double(let number): isText ? .string(description) : Self.integer(number) ?? self
    }
  }

  /// Returns the number or the boolean that a text is, or nil if it is neither.
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
  /// The number as an integer of 64 bits, or nil if it is none.
  fileprivate var integer: Int64? {
    // No Int64 has more than 19 digits.
    guard pointPlace >= significant.count, pointPlace <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for place in 0..<pointPlace { magnitude = magnitude * 10 + UInt64(place < significant.count ? significant[place] : 0) }
    if isNegative { return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }
}

extension Double {
  fileprivate var jsonText: String { withJSONText { String(decoding: $0, as: UTF8.self) } }
}
