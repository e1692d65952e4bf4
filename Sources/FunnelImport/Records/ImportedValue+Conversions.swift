import FunnelModel

// Finding members, and converting scalars to text.

extension ImportedFields {
  /// Returns the index of the first member of an object with a key, or `nil` if there is none.
  func member(_ key: StaticString, of index: Int) -> Int? { member(key, in: index + 1..<end(of: index)) }

  /// Returns the index of the first top-level member with a key, or `nil` if there is none.
  func topLevelMember(_ key: StaticString) -> Int? { member(key, in: 0..<count) }

  private func member(_ key: StaticString, in range: Range<Int>) -> Int? {
    var member = range.lowerBound
    while member < range.upperBound {
      if self[member].key.isEqual(to: key) { return member }
      member = end(of: member)
    }
    return nil
  }
}

extension ImportedValue {
  /// Whether the value is an object.
  var isObject: Bool { kind == .object }

  /// Whether the value is an array.
  var isArray: Bool { kind == .array }

  /// Whether the value is null.
  var isNull: Bool { kind == .null }

  /// Whether the value counts as absent: null, or an empty string.
  var isAbsent: Bool {
    if let string { return string.isEmpty }
    return isNull
  }

  /// Whether the value is neither an object nor an array.
  @inline(__always)
  var isScalar: Bool { kind != .object && kind != .array }

  /// Whether the value is a string or a number.
  var hasText: Bool {
    switch kind {
    case .string, .integer, .unsigned, .double: true
    case .true, .false, .null, .object, .array: false
    }
  }

  /// The JSON text of a number, or `nil` if the value has another type.
  var numberText: [UInt8]? {
    var text: [UInt8] = []
    switch kind {
    case .integer: text.appendDecimal(int64)
    case .unsigned: text.append(text: String(uint64))
    case .double: text.appendJSONNumber(double)
    case .string, .true, .false, .null, .object, .array: return nil
    }
    return text
  }

  /// The text of a string or a number, or `nil` if the value has another type.
  var scalarText: [UInt8]? {
    if let string { return [UInt8](copying: string) }
    return numberText
  }

  /// The text of an integer that Google's export writes as a string under the key `int_value`, or `nil` if the value
  /// is not such a string.
  var integerText: Span<UInt8>? {
    @_lifetime(copy self)
    get {
      guard key.isEqual(to: "int_value"), let text = string, let number = DecimalTime(text), number.isWhole,
        text.firstIndex(of: UInt8(ascii: ".")) == nil
      else { return nil }
      // JSON integers have no leading zeros, so such a string stays a string.
      let first = text[0] == UInt8(ascii: "-") ? 1 : 0
      return text.count - first > 1 && text[first] == UInt8(ascii: "0") ? nil : text
    }
  }

  /// Appends a scalar as JSON. An object or an array is appended as `null`.
  @inline(__always)
  func appendJSON(to bytes: LineBuffer) {
    switch kind {
    case .string: if let string { bytes.appendJSONString(string) }
    case .integer: bytes.appendDecimal(int64)
    case .unsigned, .double: bytes.append(numberText ?? [])
    case .true: bytes.append("true")
    case .false: bytes.append("false")
    case .null, .object, .array: bytes.append("null")
    }
  }

  /// The scalar as the value of a property, or `nil` for an object or an array.
  var propertyValue: PropertyValue? {
    if let string { return .string(String(decoding: string)) }
    return switch kind {
    case .integer: .integer(int64)
    case .unsigned: .double(Double(uint64))
    case .double: Int64(exactly: double).map(PropertyValue.integer) ?? .double(double)
    case .true: .bool(true)
    case .false: .bool(false)
    case .null: .null
    case .string, .object, .array: nil
    }
  }

  /// The JSON type of the value in words, for error messages.
  var kindName: String {
    switch kind {
    case .string: "a string"
    case .integer, .unsigned, .double: "a number"
    case .true, .false: "a boolean"
    case .null: "null"
    case .object: "an object"
    case .array: "an array"
    }
  }
}
