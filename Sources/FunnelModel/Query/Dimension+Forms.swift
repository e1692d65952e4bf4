extension Dimension {
  /// The syntax of all dimensions, for messages and help texts.
  public static let forms = "ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"

  /// Returns a suggestion for a text that is not a dimension: `did you mean ctx.variant?`, or the list of all forms.
  public static func advice(insteadOf text: String) -> String {
    let suggestions = suggestions(for: text)
    return suggestions.isEmpty ? "give \(forms)" : "did you mean \(suggestions.joined(separator: " or "))?"
  }

  /// Returns the dimensions most similar to a text that is not one.
  private static func suggestions(for text: String) -> [String] {
    let words = ["day", "week", "month", "hour", "weekday", "version"]
    if let word = NearestName.find(text.lowercased(), in: words) ?? words.first(where: { $0 == text.lowercased() }) {
      return [word]
    }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, let area = area(named: parts[0]) {
      if area == "step" { return stepForms(parts[1]) }
      return ["\(area).\(parts[1].isEmpty ? "KEY" : parts[1])"]
    }
    return ["ctx", "props"].map { "\($0).\(text)" }.filter { !text.isEmpty && Dimension($0) != nil }
  }

  /// Returns the area (`ctx`, `props` or `step`) of which a word is a synonym or a misspelling, or `nil` if there is none.
  private static func area(named word: String) -> String? {
    let word = word.lowercased()
    let synonyms = ["context": "ctx", "prop": "props", "property": "props", "properties": "props", "steps": "step"]
    let areas = ["ctx", "props", "step"]
    return synonyms[word] ?? areas.first { $0 == word } ?? NearestName.find(word, in: areas)
  }

  /// Returns the dimensions that the text after `step.` may stand for: `photos.trigger` may be a property or a context value.
  private static func stepForms(_ text: String) -> [String] {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard ConfigurationReader.isName(parts[0]) else { return [] }
    guard parts.count == 2, !parts[1].isEmpty else { return ["step.\(parts[0]).props.KEY", "step.\(parts[0]).ctx.KEY"] }
    let names = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let area = area(named: names[0]), area != "step" {
      return ["step.\(parts[0]).\(area).\(names.count == 2 && !names[1].isEmpty ? names[1] : "KEY")"]
    }
    return ["step.\(parts[0]).props.\(parts[1])", "step.\(parts[0]).ctx.\(parts[1])"]
  }
}

extension Dimension {
  /// An example value that shows the format of a calendar dimension, or `nil` if the dimension is not computed from the time.
  public var calendarExample: String? {
    switch self {
    case .day: "2026-11-20"
    case .week: "2026-W47"
    case .month: "2026-11"
    case .hour: "09"
    case .weekday: "Mon"
    case .property, .context, .properties, .version, .subject, .step: nil
    }
  }

  /// Returns whether a text has the format of this calendar dimension (``calendarExample``).
  ///
  /// - Parameter whole: Whether the text must be complete. If false, a prefix is valid too, such as `2026-11`
  ///   for a day. A weekday must always be complete.
  public func isCalendarValue(_ text: String, whole: Bool) -> Bool {
    switch self {
    case .weekday: return CivilDate.weekdayNames.contains(text)
    case .hour where !whole || text.utf8.count == 2: return Self.hour(text) != nil
    default: break
    }
    guard let example = calendarExample, whole ? text.utf8.count == example.utf8.count : text.utf8.count <= example.utf8.count
    else {
      return false
    }
    // A digit in the example matches any digit. Every other byte matches itself.
    return zip(text.utf8, example.utf8).allSatisfy { $0 == $1 || $0.isASCIIDigit && $1.isASCIIDigit }
  }

  /// Parses an hour of the day (0 to 23) from one or two digits, or returns `nil` if the text is anything else.
  static func hour(_ text: String) -> Int? {
    guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit), let hour = Int(text), hour < 24 else {
      return nil
    }
    return hour
  }
}

extension Dimension {
  /// The keys of `ctx` whose values are versions in every flow.
  private static let versionKeys = ["app_version", "os_version"]

  /// Whether the values are versions in every flow. A flow can declare further version keys (``FlowDefinition/versions``).
  public var isVersion: Bool {
    switch self {
    case .context(let key), .step(_, .context(let key)): Self.versionKeys.contains(key)
    case .property, .properties, .day, .week, .month, .hour, .weekday, .version, .subject, .step: false
    }
  }
}

extension FlowDefinition {
  /// Returns whether the values of a dimension are compared as dotted versions.
  public func isVersion(_ dimension: Dimension) -> Bool {
    if dimension.isVersion { return true }
    switch dimension {
    case .property(let key): return versions.contains(.property(key))
    case .context(let key): return versions.contains(.context(key))
    case .step(_, let field): return versions.contains(field)
    case .properties, .day, .week, .month, .hour, .weekday, .version, .subject: return false
    }
  }

  /// Returns whether the values of a dimension are never read as numbers or booleans: versions and calendar dimensions.
  public func isText(_ dimension: Dimension) -> Bool { dimension.calendarExample != nil || isVersion(dimension) }
}
