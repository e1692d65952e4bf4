extension Dimension {
  /// Every form of a dimension, for messages and help.
  public static let forms = "ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"

  /// Returns the remedy for a text that is not a dimension: `did you mean ctx.variant?`, or else a list of all forms.
  public static func advice(insteadOf text: String) -> String {
    let meant = alternatives(to: text)
    return meant.isEmpty ? "give \(forms)" : "did you mean \(meant.joined(separator: " or "))?"
  }

  /// Returns the dimensions that were probably meant by a text that is not one.
  private static func alternatives(to text: String) -> [String] {
    let words = ["day", "week", "month", "hour", "weekday", "version"]
    if let word = NearestName.find(text.lowercased(), in: words) ?? words.first(where: { $0 == text.lowercased() }) {
      return [word]
    }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, let area = area(meantBy: parts[0]) {
      return area == "step" ? stepForms(parts[1]) : ["\(area).\(parts[1].isEmpty ? "KEY" : parts[1])"]
    }
    return ["ctx", "props"].map { "\($0).\(text)" }.filter { !text.isEmpty && Dimension($0) != nil }
  }

  /// Returns `ctx`, `props` or `step` if a word is similar to it or another name for it.
  private static func area(meantBy word: String) -> String? {
    let word = word.lowercased()
    let others = ["context": "ctx", "prop": "props", "property": "props", "properties": "props", "steps": "step"]
    let areas = ["ctx", "props", "step"]
    return others[word] ?? areas.first { $0 == word } ?? NearestName.find(word, in: areas)
  }

  /// Returns the forms that the text after `step.` may mean: `photos.trigger` may be a property or a context value.
  private static func stepForms(_ rest: String) -> [String] {
    let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard ConfigurationReader.isName(parts[0]) else { return [] }
    guard parts.count == 2, !parts[1].isEmpty else { return ["step.\(parts[0]).props.KEY", "step.\(parts[0]).ctx.KEY"] }
    let names = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let area = area(meantBy: names[0]), area != "step" {
      return ["step.\(parts[0]).\(area).\(names.count == 2 && !names[1].isEmpty ? names[1] : "KEY")"]
    }
    return ["step.\(parts[0]).props.\(parts[1])", "step.\(parts[0]).ctx.\(parts[1])"]
  }
}

extension Dimension {
  /// An example value of a dimension that is computed from the time, which shows its format; nil for any other dimension.
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

  /// Returns whether a text has the format of a `day`, `week`, `month`, `hour` or `weekday`, or of the beginning of one if it need not be
  /// whole.
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
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return zip(text.utf8, example.utf8).allSatisfy { $0 == $1 || digits.contains($0) && digits.contains($1) }
  }

  /// Returns the hour of the day that a text of one or two digits is, or nil if it is none.
  static func hour(_ text: String) -> Int? {
    guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let hour = Int(text), hour < 24
    else { return nil }
    return hour
  }
}

extension Dimension {
  /// Whether the values are versions in every flow. Those of further keys are in the flows that say so (``FlowDefinition/versions``).
  public var isVersion: Bool {
    switch self {
    case .context(let key): ["app_version", "os_version"].contains(key)
    case .step(_, let field): [.context("app_version"), .context("os_version")].contains(field)
    case .property, .properties, .day, .week, .month, .hour, .weekday, .version, .subject: false
    }
  }
}

extension FlowDefinition {
  /// Returns whether the values of a dimension are versions: texts whose order is that of dotted versions.
  public func isVersion(_ dimension: Dimension) -> Bool {
    if dimension.isVersion { return true }
    switch dimension {
    case .property(let key): return versions.contains(.property(key))
    case .context(let key): return versions.contains(.context(key))
    case .step(_, let field): return versions.contains(field)
    case .properties, .day, .week, .month, .hour, .weekday, .version, .subject: return false
    }
  }

  /// Returns whether the values of a dimension are texts whatever they look like: versions, and times as they are written.
  public func isText(_ dimension: Dimension) -> Bool { dimension.calendarExample != nil || isVersion(dimension) }
}
