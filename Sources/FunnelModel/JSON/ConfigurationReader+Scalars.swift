extension ConfigurationReader {
  /// Reads a string.
  ///
  /// - Parameter needed: The requirement for the value, with its article, such as `a string`.
  func string(_ value: ConfigurationValue, needed: String = "a string") -> String? {
    if value.node.string == nil { reportKind(needed, at: value) }
    return value.node.string
  }

  /// Reads a non-empty string.
  func text(_ value: ConfigurationValue) -> String? {
    guard let text = string(value) else { return nil }
    guard !text.isEmpty else {
      report("the string is empty, at least one character is needed", at: value)
      return nil
    }
    return text
  }

  /// Reads a string and parses it.
  ///
  /// - Parameters:
  ///   - needed: The requirement for the value, with its article.
  ///   - problem: The problem with a string for which `parse` returns `nil`, as a clause after the quoted string.
  func parsed<Value>(
    _ value: ConfigurationValue, needed: String = "a string", problem: @autoclosure () -> String,
    _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = string(value, needed: needed) else { return nil }
    guard let parsed = parse(text) else {
      report("\(text.quoted) \(problem())", at: value)
      return nil
    }
    return parsed
  }

  /// Reads a name of the form `[a-z][a-z0-9_]{0,99}`.
  func name(_ value: ConfigurationValue, needed: String = "a name") -> String? {
    parsed(value, needed: needed, problem: "is not a valid name, \(NameSyntax.rule)") { NameSyntax.matches($0) ? $0 : nil }
  }

  /// Returns whether the key of a member is a name, and reports a problem if it is not.
  func isKeyName(_ member: ConfigurationMember) -> Bool {
    if NameSyntax.matches(member.key) { return true }
    report("the key \(member.key.quoted) is not a valid name, \(NameSyntax.rule)", atKeyOf: member)
    return false
  }

  /// Reads an array of different names.
  func names(_ value: ConfigurationValue, isEmptyAllowed: Bool = true) -> [String]? {
    distinct(value, needed: "an array of names", isEmptyAllowed: isEmptyAllowed, text: \.self) { name($0) }
  }

  /// Reads an array of different non-empty strings.
  func texts(_ value: ConfigurationValue, isEmptyAllowed: Bool = false) -> [String]? {
    distinct(value, needed: "an array of strings", isEmptyAllowed: isEmptyAllowed, text: \.self, text)
  }

  /// Reads an integer with a lower bound.
  func integer(_ value: ConfigurationValue, atLeast least: Int64) -> Int? {
    guard let number = value.node.integer, number >= least else {
      let text = if case .number(let text) = value.node.value { text } else { value.kind }
      report("a whole number from \(least) is needed, not \(text)", at: value)
      return nil
    }
    return Int(number)
  }

  /// Reads a finite number, within a range if one is given.
  func number(_ value: ConfigurationValue, in range: ClosedRange<Double>? = nil) -> Double? {
    let needed = range.map { "a number from \(PropertyValue.double($0.lowerBound)) to \(PropertyValue.double($0.upperBound))" }
    guard let number = value.node.double, range?.contains(number) ?? true else {
      let text = if case .number(let text) = value.node.value { text } else { value.kind }
      report("\(needed ?? "a number") is needed, not \(text)", at: value)
      return nil
    }
    return number
  }

  /// Reads `true` or `false`.
  func bool(_ value: ConfigurationValue) -> Bool? {
    guard let flag = value.node.bool else {
      reportKind("true or false", at: value)
      return nil
    }
    return flag
  }

  /// Reads a string, number, boolean or null.
  func scalar(_ value: ConfigurationValue) -> PropertyValue? {
    guard let scalar = value.node.scalar else {
      if case .number(let text) = value.node.value {
        report("the number \(text) is too large", at: value)
      } else {
        reportKind("a string, number, boolean or null", at: value)
      }
      return nil
    }
    return scalar
  }

  /// Reads a positive length of time.
  func timeSpan(_ value: ConfigurationValue) -> TimeSpan? {
    parsed(
      value, needed: "a length of time such as \"7d\"",
      problem:
        "is not a length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most \(TimeSpan.longest)"
    ) { text in
      TimeSpan(text).flatMap { $0.milliseconds > 0 ? $0 : nil }
    }
  }

  /// Reads a string that is a raw value of a type.
  func choice<Choice: RawRepresentable & CaseIterable>(_ value: ConfigurationValue, _ type: Choice.Type) -> Choice?
  where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    guard let text = string(value, needed: "one of \(words.joined(separator: ", "))") else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let nearest = NearestName.suggestion(for: text, in: words)
      report("\(text.quoted) is unknown here\(nearest) allowed: \(words.joined(separator: ", "))", at: value)
      return nil
    }
    return choice
  }
}
