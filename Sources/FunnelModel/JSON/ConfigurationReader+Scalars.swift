extension ConfigurationReader {
  /// The syntax of a name, for messages.
  static let nameRule =
    "allowed: a lower-case letter, then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"

  /// Reads a non-empty string.
  func text(_ value: ConfigurationValue) -> String? {
    guard let text = value.node.string else {
      reportKind("a string", at: value)
      return nil
    }
    guard !text.isEmpty else {
      report("the string is empty, at least one character is needed", at: value)
      return nil
    }
    return text
  }

  /// Reads a name of the form `[a-z][a-z0-9_]{0,99}`.
  func name(_ value: ConfigurationValue, needed: String = "a name") -> String? {
    guard let text = value.node.string else {
      reportKind(needed, at: value)
      return nil
    }
    guard Self.isName(text) else {
      report("\(text.quoted) is not a valid name, \(Self.nameRule)", at: value)
      return nil
    }
    return text
  }

  /// Returns whether the key of a member is a name, and reports a problem if it is not.
  func isKeyName(_ member: (key: String, position: JSONDocument.Position, value: ConfigurationValue)) -> Bool {
    if Self.isName(member.key) { return true }
    report("the key \(member.key.quoted) is not a valid name, \(Self.nameRule)", at: member.position, path: member.value.path)
    return false
  }

  /// Reads an array of different names.
  func names(_ value: ConfigurationValue, isEmptyAllowed: Bool = true) -> [String]? {
    guard let elements = array(value, needed: "an array of names", isEmptyAllowed: isEmptyAllowed) else { return nil }
    var result: [String] = []
    for element in elements {
      guard let name = name(element) else { continue }
      guard !result.contains(name) else {
        report("\(name.quoted) is listed twice, remove one", at: element)
        continue
      }
      result.append(name)
    }
    return result
  }

  /// Reads an array of different non-empty strings.
  func texts(_ value: ConfigurationValue, isEmptyAllowed: Bool = false) -> [String]? {
    guard let elements = array(value, needed: "an array of strings", isEmptyAllowed: isEmptyAllowed) else { return nil }
    var result: [String] = []
    for element in elements {
      guard let text = text(element) else { continue }
      guard !result.contains(text) else {
        report("\(text.quoted) is listed twice, remove one", at: element)
        continue
      }
      result.append(text)
    }
    return result
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
    guard let text = value.node.string else {
      reportKind("a length of time such as \"7d\"", at: value)
      return nil
    }
    guard let span = TimeSpan(text), span.milliseconds > 0 else {
      report(
        "\(text.quoted) is not a length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most \(TimeSpan.longest)",
        at: value)
      return nil
    }
    return span
  }

  /// Reads a string that is a raw value of a type.
  func choice<Choice: RawRepresentable & CaseIterable>(_ value: ConfigurationValue, _ type: Choice.Type) -> Choice?
  where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    guard let text = value.node.string else {
      reportKind("one of \(words.joined(separator: ", "))", at: value)
      return nil
    }
    guard let choice = Choice(rawValue: text) else {
      let nearest = NearestName.find(text, in: words).map { ", did you mean \"\($0)\"?" } ?? ","
      report("\(text.quoted) is unknown here\(nearest) allowed: \(words.joined(separator: ", "))", at: value)
      return nil
    }
    return choice
  }

  /// Returns whether a text has the form `[a-z][a-z0-9_]{0,99}`.
  static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    guard bytes.count <= Limits.nameBytesMax else { return false }
    return bytes.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_")
    }
  }
}
