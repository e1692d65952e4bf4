import FunnelModel

// Finding members, and converting scalars to text.

extension ImportedFields {
  /// Returns the index of the first member of an object with a key, or `nil` if there is none.
  func member(_ key: StaticString, of index: Int) -> Int? { member(key, in: index + 1..<end(of: index)) }

  /// Returns the index of the first top-level member with a key, or `nil` if there is none.
  func topLevelMember(_ key: StaticString) -> Int? { member(key, in: 0..<count) }

  /// Returns the index of the first top-level member whose key is another one in upper case, or `nil` if there is none.
  func topLevelMember(inUpperCase key: StaticString) -> Int? {
    var member = 0
    while member < count {
      let isEqual = key.withUTF8Buffer { self[member].key.isUpperCase(of: Span(_unsafeElements: $0)) }
      if isEqual { return member }
      member = end(of: member)
    }
    return nil
  }

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

  /// Whether the value is a string or a number.
  var isStringOrNumber: Bool {
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

extension Span<UInt8> {
  /// The number of bytes of the longest number in its shortest form, such as `-2.2250738585072014e-308`.
  private static var numberBytesMax: Int { 24 }

  /// Whether the text is a JSON number in its shortest form, or `true` or `false`.
  ///
  /// `4.50`, `007` and `1e3` are not in their shortest form: they may be texts, such as versions and codes.
  var isJSONNumberOrBoolean: Bool {
    guard !isEmpty, count <= Self.numberBytesMax else { return false }
    let first = self[0]
    if first == UInt8(ascii: "t") { return isEqual(to: "true") }
    if first == UInt8(ascii: "f") { return isEqual(to: "false") }
    guard first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    let text = String(decoding: self)
    if let integer = Int64(text) { return String(integer) == text }
    guard let number = Double(text), number.isFinite else { return false }
    return number.jsonText == text
  }
}

extension Span<UInt8> {
  /// Whether the text has a letter in upper case and none in lower case.
  var isUpperCase: Bool {
    var hasLetter = false
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): return false
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hasLetter = true
      default: break
      }
    }
    return hasLetter
  }

  /// Whether the text is another one in upper case.
  func isUpperCase(of other: Span<UInt8>) -> Bool {
    guard count == other.count, isUpperCase else { return false }
    for index in indices {
      let byte = other[index]
      let isLower = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      if self[index] != (isLower ? byte & ~0x20 : byte) { return false }
    }
    return true
  }
}
