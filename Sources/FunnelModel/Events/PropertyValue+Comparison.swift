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
  package func segmentValue(isText: Bool) -> PropertyValue {
    switch self {
    case .null: .null
    case .string(let text): isText ? self : Self.scalar(in: text) ?? self
    case .integer, .bool: isText ? .string(description) : self
    case .double(let number): isText ? .string(description) : Int64(exactly: number).map(PropertyValue.integer) ?? self
    }
  }

  /// Returns the values of events whose text is `text`: the string, and the number or the boolean if there is one.
  static func values(withText text: String) -> [PropertyValue] {
    guard let scalar = scalar(in: text), scalar.description == text else { return [.string(text)] }
    return [.string(text), scalar]
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

  /// The value as a number, or `nil` if it is not one. A string that contains a number is not one.
  package var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .string, .bool, .null: nil
    }
  }

  /// The value as a number, including a string that contains a JSON number, or `nil` if it is neither.
  var readNumber: Double? { segmentValue(isText: false).numberValue }

  /// Returns whether two values are equal in JSON Schema, where `1` equals `1.0`.
  func isEqualInJSON(to other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer(let whole), .double(let number)), (.double(let number), .integer(let whole)): Int64(exactly: number) == whole
    default: self == other
    }
  }

  /// Returns the order of a number relative to a limit, or `nil` if the value is not a number. The comparison is exact
  /// even for integers that a double can't represent.
  func order(to limit: Double) -> ValueOrder? {
    switch self {
    case .integer(let whole):
      let rounded = Double(whole)
      if rounded != limit { return ValueOrder(rounded, to: limit) }
      // A limit that an integer rounds to but that does not fit in 64 bits is 2⁶³, which is above every integer.
      guard let exact = Int64(exactly: limit) else { return .before }
      return ValueOrder(whole, to: exact)
    case .double(let number): return ValueOrder(number, to: limit)
    case .string, .bool, .null: return nil
    }
  }
}

/// The order of one value relative to another.
enum ValueOrder: Hashable, Sendable {
  case before
  case same
  case after

  /// Compares two values.
  init<Value: Comparable>(_ value: Value, to other: Value) {
    if value < other {
      self = .before
    } else {
      self = value == other ? .same : .after
    }
  }
}
