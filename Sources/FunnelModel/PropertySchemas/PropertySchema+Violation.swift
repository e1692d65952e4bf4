extension PropertySchema {
  /// Returns the problem with a value as a sentence about `props.<key>`, or `nil` if the value conforms to the schema.
  ///
  /// The semantics are those of JSON Schema draft 2020-12: `1.0` is an integer, numbers are compared by value,
  /// lengths count code points, a pattern may match anywhere, and a keyword ignores values of other types.
  public func violation(of value: PropertyValue, key: String) -> String? {
    violation(of: value, key: key) { text, pattern in
      // Reading a definition rejects patterns that do not compile.
      guard let regex = try? Regex(pattern) else { return false }
      return CompiledPropertySchema.matches(text, regex)
    }
  }

  /// Returns the problem with a value, using a closure to match a text against the pattern.
  func violation(of value: PropertyValue, key: String, matches: (_ text: String, _ pattern: String) -> Bool) -> String? {
    guard let rule = brokenRule(by: value, matches: matches) else { return nil }
    return "props.\(key.printable) must \(rule)"
  }

  /// Returns the requirement that a value does not meet, as a clause after `must`, or `nil` if it meets all.
  private func brokenRule(by value: PropertyValue, matches: (String, String) -> Bool) -> String? {
    if let types, !types.contains(where: { $0.allows(value) }) {
      let names = ScalarType.allCases.filter(types.contains).map(\.phrase)
      return "be \(names.joined(separator: " or ")), not \(value.phrase)"
    }
    if let constant, !constant.isEqualInJSON(to: value) { return "be \(constant.phrase), not \(value.phrase)" }
    if let allowed, !allowed.contains(where: { $0.isEqualInJSON(to: value) }) {
      return "be one of \(allowed.map(\.phrase).joined(separator: ", ")), not \(value.phrase)"
    }
    if let minimum, value.isNumber(.less, than: minimum) { return "be at least \(PropertyValue.double(minimum)), not \(value)" }
    if let maximum, value.isNumber(.greater, than: maximum) {
      return "be at most \(PropertyValue.double(maximum)), not \(value)"
    }
    guard case .string(let text) = value else { return nil }
    let length = minLength == nil && maxLength == nil ? 0 : text.unicodeScalars.count
    if let minLength, length < minLength { return "have at least \(minLength) characters, not \(length)" }
    if let maxLength, length > maxLength { return "have at most \(maxLength) characters, not \(length)" }
    if let pattern, !matches(text, pattern) { return "match the pattern \(pattern.quoted), not be \(value.phrase)" }
    return nil
  }
}

extension PropertySchema.ScalarType {
  fileprivate var phrase: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .boolean: "a boolean"
    case .null: "null"
    }
  }

  fileprivate func allows(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (.string, .string), (.boolean, .bool), (.null, .null): true
    case (.number, .integer), (.number, .double), (.integer, .integer): true
    case (.integer, .double(let number)): number.rounded(.towardZero) == number
    default: false
    }
  }
}

extension PropertyValue {
  /// Returns whether two values are equal in JSON Schema, where `1` equals `1.0`.
  func isEqualInJSON(to other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer(let whole), .double(let number)), (.double(let number), .integer(let whole)): Int64(exactly: number) == whole
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: self == other
    }
  }

  /// Whether this is a number.
  var isNumber: Bool {
    switch self {
    case .integer, .double: true
    case .string, .bool, .null: false
    }
  }

  /// The side of a limit on which a number is.
  enum Comparison { case less, greater }

  /// Returns whether this is a number below or above a limit. The comparison is exact even for integers that a
  /// double can't represent.
  func isNumber(_ comparison: Comparison, than limit: Double) -> Bool {
    switch self {
    case .integer(let whole):
      let rounded = Double(whole)
      if rounded != limit { return comparison == .less ? rounded < limit : rounded > limit }
      // A limit that an integer rounds to but that does not fit in 64 bits is 2⁶³, which is above every integer.
      guard let exact = Int64(exactly: limit) else { return comparison == .less }
      return comparison == .less ? whole < exact : whole > exact
    case .double(let number): return comparison == .less ? number < limit : number > limit
    case .string, .bool, .null: return false
    }
  }

  /// The value as it appears in a message: a string is quoted, and cut if it is long.
  fileprivate var phrase: String {
    if case .string(let text) = self { text.quoted } else { description }
  }
}
