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
    schema.minLength = object["minLength"].flatMap { integer($0, atLeast: 0) }
    schema.maxLength = object["maxLength"].flatMap { integer($0, atLeast: 0) }
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
    var types: Set<PropertySchema.ScalarType> = []
    for element in array(value, isEmptyAllowed: false) ?? [] {
      guard let type = choice(element, PropertySchema.ScalarType.self) else { continue }
      if !types.insert(type).inserted { report("\(type.rawValue.quoted) is listed twice, remove one", at: element) }
    }
    return types
  }

  private func pattern(_ value: ConfigurationValue) -> String? {
    guard let text = value.node.string else {
      reportKind("a string (a regular expression)", at: value)
      return nil
    }
    guard text.utf8.count <= Limits.patternBytesMax else {
      report("a regular expression of \(text.utf8.count) bytes, at most \(Limits.patternBytesMax) are allowed", at: value)
      return nil
    }
    guard !PatternCost.isUnbounded(text) else {
      report(
        "\(text.quoted) has a repetition inside a repetition, which can take forever to match, write it without nested repetitions",
        at: value)
      return nil
    }
    guard (try? Regex(text)) != nil else {
      report("\(text.quoted) is not a regular expression, allowed: the syntax of Swift's Regex", at: value)
      return nil
    }
    return text
  }
}
