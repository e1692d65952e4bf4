extension ConfigurationReader {
  /// What a name may look like, for messages.
  static let nameRule =
    "allowed: a lower-case letter, then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"

  /// A text people read, not empty.
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

  /// A name of the form `[a-z][a-z0-9_]{0,99}`.
  func name(_ value: ConfigurationValue, needed: String = "a name") -> String? {
    guard let text = value.node.string else {
      reportKind(needed, at: value)
      return nil
    }
    guard Self.isName(text) else {
      report("\(text.quoted) is no name, \(Self.nameRule)", at: value)
      return nil
    }
    return text
  }

  /// The key of a member that must be a name.
  func isKeyName(_ member: (key: String, position: JSONDocument.Position, value: ConfigurationValue)) -> Bool {
    if Self.isName(member.key) { return true }
    report("the key \(member.key.quoted) is no name, \(Self.nameRule)", at: member.position, path: member.value.path)
    return false
  }

  /// An array of different names.
  func names(_ value: ConfigurationValue, isEmptyAllowed: Bool = true) -> [String]? {
    guard let elements = array(value, needed: "an array of names", isEmptyAllowed: isEmptyAllowed) else { return nil }
    var result: [String] = []
    for element in elements {
      guard let name = name(element) else { continue }
      guard !result.contains(name) else {
        report("\(name.quoted) stands here twice, remove one", at: element)
        continue
      }
      result.append(name)
    }
    return result
  }

  /// An array of different texts.
  func texts(_ value: ConfigurationValue, isEmptyAllowed: Bool = false) -> [String]? {
    guard let elements = array(value, needed: "an array of strings", isEmptyAllowed: isEmptyAllowed) else { return nil }
    var result: [String] = []
    for element in elements {
      guard let text = text(element) else { continue }
      guard !result.contains(text) else {
        report("\(text.quoted) stands here twice, remove one", at: element)
        continue
      }
      result.append(text)
    }
    return result
  }

  /// A whole number that is not below a least one.
  func integer(_ value: ConfigurationValue, atLeast least: Int64) -> Int? {
    guard let number = value.node.integer, number >= least else {
      let text = if case .number(let text) = value.node.value { text } else { value.kind }
      report("a whole number from \(least) is needed, not \(text)", at: value)
      return nil
    }
    return Int(number)
  }

  /// A number a double can hold.
  func number(_ value: ConfigurationValue, in range: ClosedRange<Double>? = nil) -> Double? {
    let needed = range.map { "a number from \(PropertyValue.double($0.lowerBound)) to \(PropertyValue.double($0.upperBound))" }
    guard let number = value.node.double, range?.contains(number) ?? true else {
      let text = if case .number(let text) = value.node.value { text } else { value.kind }
      report("\(needed ?? "a number") is needed, not \(text)", at: value)
      return nil
    }
    return number
  }

  func bool(_ value: ConfigurationValue) -> Bool? {
    guard let flag = value.node.bool else {
      reportKind("true or false", at: value)
      return nil
    }
    return flag
  }

  /// A string, number, boolean or null.
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

  /// A length of time above zero.
  func timeSpan(_ value: ConfigurationValue) -> TimeSpan? {
    guard let text = value.node.string else {
      reportKind("a length of time such as \"7d\"", at: value)
      return nil
    }
    guard let span = TimeSpan(text), span.milliseconds > 0 else {
      report(
        "\(text.quoted) is no length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most \(TimeSpan.longest)",
        at: value)
      return nil
    }
    return span
  }

  /// One of a few words.
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

  /// Whether a text has the form `[a-z][a-z0-9_]{0,99}`.
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
