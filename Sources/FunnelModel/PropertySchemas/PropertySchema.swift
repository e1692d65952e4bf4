/// The schema of one event property, with the keywords of JSON Schema (draft 2020-12) that apply to scalars.
///
/// Definitions with any other keyword are rejected, because a constraint that is silently ignored is worse than none.
package struct PropertySchema: Hashable, Sendable {
  /// The JSON Schema types that a scalar can have.
  package enum ScalarType: String, Hashable, Sendable, CaseIterable {
    case string, integer, number, boolean, null
  }

  /// The allowed types, or `nil` to allow all.
  package var types: Set<ScalarType>?
  /// The allowed values, or `nil` to allow all.
  package var allowed: [PropertyValue]?
  /// The only allowed value, or `nil` to allow all.
  package var constant: PropertyValue?
  /// The minimum of a number, inclusive, or `nil` for no bound.
  package var minimum: Double?
  /// The maximum of a number, inclusive, or `nil` for no bound.
  package var maximum: Double?
  /// The minimum length of a string, in Unicode code points, or `nil` for no bound.
  package var minLength: Int?
  /// The maximum length of a string, in Unicode code points, or `nil` for no bound.
  package var maxLength: Int?
  /// A regular expression that must match anywhere in a string, or `nil` to allow all strings.
  package var pattern: SchemaPattern?

  /// Creates a schema that allows everything.
  package init() {}
}

extension PropertySchema {
  /// Returns the problem with a value as a sentence about `props.<key>`, or `nil` if the value conforms to the schema.
  ///
  /// The semantics are those of JSON Schema draft 2020-12: `1.0` is an integer, numbers are compared by value,
  /// lengths count code points, a pattern may match anywhere, and a keyword ignores values of other types.
  package func violation(of value: PropertyValue, key: String) -> String? {
    violation(of: value, key: key) { text, pattern in SchemaPattern.matches(pattern.compiled(), text) }
  }

  /// Returns the problem with a value, using a closure to match a text against the pattern.
  func violation(of value: PropertyValue, key: String, matches: (String, SchemaPattern) -> Bool) -> String? {
    guard let rule = brokenRule(by: value, matches: matches) else { return nil }
    return "props.\(key.printable) must \(rule)"
  }

  /// Returns the requirement that a value does not meet, as a clause after `must`, or `nil` if it meets all.
  private func brokenRule(by value: PropertyValue, matches: (String, SchemaPattern) -> Bool) -> String? {
    if let types, !types.contains(where: { $0.allows(value) }) {
      let names = ScalarType.allCases.filter(types.contains).map(\.phrase)
      return "be \(names.joined(separator: " or ")), not \(value.phrase)"
    }
    if let constant, !constant.isEqualInJSON(to: value) { return "be \(constant.phrase), not \(value.phrase)" }
    if let allowed, !allowed.contains(where: { $0.isEqualInJSON(to: value) }) {
      return "be one of \(allowed.map(\.phrase).joined(separator: ", ")), not \(value.phrase)"
    }
    if let minimum, value.order(to: minimum) == .before { return "be at least \(PropertyValue.double(minimum)), not \(value)" }
    if let maximum, value.order(to: maximum) == .after {
      return "be at most \(PropertyValue.double(maximum)), not \(value)"
    }
    guard case .string(let text) = value else { return nil }
    let length = minLength == nil && maxLength == nil ? 0 : text.unicodeScalars.count
    if let minLength, length < minLength { return "have at least \(minLength) characters, not \(length)" }
    if let maxLength, length > maxLength { return "have at most \(maxLength) characters, not \(length)" }
    if let pattern, !matches(text, pattern) { return "match the pattern \(pattern.text.quoted), not be \(value.phrase)" }
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
  /// The value as it appears in a message: a string is quoted, and cut if it is long.
  fileprivate var phrase: String {
    if case .string(let text) = self { text.quoted } else { description }
  }
}

extension ConfigurationReader {
  private static let keywords = ["type", "enum", "const", "minimum", "maximum", "minLength", "maxLength", "pattern"]

  /// Reads the JSON Schema of a property. Keywords that are not supported are reported.
  func propertySchema(_ value: ConfigurationValue) -> PropertySchema? {
    guard let object = object(value, allowed: Self.keywords, needed: "an object (a JSON Schema)") else { return nil }
    var schema = PropertySchema()
    schema.types = object["type"].flatMap(scalarTypes)
    schema.allowed = object["enum"].flatMap { array($0, isEmptyAllowed: false)?.compactMap { scalar($0) } }
    schema.constant = object["const"].flatMap { scalar($0) }
    schema.minimum = object["minimum"].flatMap { number($0) }
    schema.maximum = object["maximum"].flatMap { number($0) }
    schema.minLength = object.integer("minLength", atLeast: 0)
    schema.maxLength = object.integer("maxLength", atLeast: 0)
    schema.pattern = object["pattern"].flatMap(pattern)
    if let least = schema.minimum, let most = schema.maximum, least > most {
      report("\"minimum\" is above \"maximum\", so no number matches, change one of them", at: value)
    }
    if let least = schema.minLength, let most = schema.maxLength, least > most {
      report("\"minLength\" is above \"maxLength\", so no string matches, change one of them", at: value)
    }
    return schema
  }

  private func scalarTypes(_ value: ConfigurationValue) -> Set<PropertySchema.ScalarType>? {
    guard value.node.array != nil else { return choice(value, PropertySchema.ScalarType.self).map { [$0] } }
    let types = distinct(value, needed: "an array", isEmptyAllowed: false, text: \.rawValue) {
      choice($0, PropertySchema.ScalarType.self)
    }
    return Set(types ?? [])
  }

  private func pattern(_ value: ConfigurationValue) -> SchemaPattern? {
    guard let text = string(value, needed: "a string (a regular expression)") else { return nil }
    do throws(SchemaPattern.Problem) {
      return try SchemaPattern(text)
    } catch {
      report(error.message(about: text), at: value)
      return nil
    }
  }
}

extension SchemaPattern.Problem {
  fileprivate func message(about text: String) -> String {
    switch self {
    case .tooLong: "a regular expression of \(text.utf8.count) bytes, at most \(Limits.patternBytesMax) are allowed"
    case .costly:
      "\(text.quoted) has a repetition inside a repetition, which can take forever to match, write it without nested repetitions"
    case .notARegularExpression: "\(text.quoted) is not a regular expression, allowed: the syntax of Swift's Regex"
    }
  }
}
