/// A key by which groups can be split into segments or filtered.
package enum Dimension: Hashable, Sendable, CustomStringConvertible {
  /// The value of a key in `props`.
  case property(String)
  /// The value of a key in `ctx`.
  case context(String)
  /// All properties together, as a JSON object (``PropertiesText``). Reports use it internally; queries have no syntax for it.
  case properties
  /// The day, such as `2026-11-20`.
  case day
  /// The ISO 8601 week, such as `2026-W47`.
  case week
  /// The month, such as `2026-11`.
  case month
  /// The hour of the day, `00` to `23`.
  case hour
  /// The day of the week, `Mon` to `Sun`.
  case weekday
  /// The version of the flow.
  case version
  /// The subject of the group. Valid in conditions only.
  case subject
  /// A property or context value (``EventField/property(_:)``, ``EventField/context(_:)``) of the event that matched a step.
  case step(id: String, EventField)

  /// Parses `ctx.variant`, `props.trigger`, `day`, `week`, `month`, `hour`, `weekday`, `version`, `subject`,
  /// `step.ID.props.KEY` or `step.ID.ctx.KEY`.
  package init?(_ text: some StringProtocol) {
    switch text {
    case "day": self = .day
    case "week": self = .week
    case "month": self = .month
    case "hour": self = .hour
    case "weekday": self = .weekday
    case "version": self = .version
    case "subject": self = .subject
    default:
      if let field = EventField(text) {
        guard let dimension = Dimension(field) else { return nil }
        self = dimension
        return
      }
      let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "step", NameSyntax.matches(String(parts[1])),
        let field = EventField(parts[2]), field != .step
      else { return nil }
      self = .step(id: String(parts[1]), field)
    }
  }

  /// Creates the dimension of a field, or returns `nil` for ``EventField/step``, which is not a dimension.
  private init?(_ field: EventField) {
    switch field {
    case .property(let key): self = .property(key)
    case .context(let key): self = .context(key)
    case .step: return nil
    }
  }

  /// The dimension under which the log stores the values, or `nil` if they are computed. For a step's value, it
  /// is the same key without the step.
  package var stored: Dimension? {
    switch self {
    case .property, .context, .properties: self
    case .step(_, let field): Dimension(field)
    case .day, .week, .month, .hour, .weekday, .version, .subject: nil
    }
  }

  /// The dimension as ``init(_:)`` parses it.
  package var description: String {
    switch self {
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    case .properties: "props"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .hour: "hour"
    case .weekday: "weekday"
    case .version: "version"
    case .subject: "subject"
    case .step(let id, let field): "step.\(id).\(field.description)"
    }
  }
}

extension Dimension {
  /// An example value that shows the format of a calendar dimension, or `nil` if the dimension is not computed from the time.
  package var calendarExample: String? {
    switch self {
    case .day: "2026-11-20"
    case .week: "2026-W47"
    case .month: "2026-11"
    case .hour: "09"
    case .weekday: "Mon"
    case .property, .context, .properties, .version, .subject, .step: nil
    }
  }

  /// All values in their natural order: the 24 hours, or the days from Monday to Sunday. `nil` for any other dimension.
  package var cyclicValues: [String]? {
    switch self {
    case .hour: (0..<24).map { $0 < 10 ? "0\($0)" : "\($0)" }
    case .weekday: CivilDate.weekdayNames
    case .day, .week, .month, .property, .context, .properties, .version, .subject, .step: nil
    }
  }

  /// Whether the report of drivers can have the dimension as a key: a key of events, the hour or the day of the week.
  ///
  /// Other calendar dimensions have as many values as the log has days, and each value only once.
  package var isDriverKey: Bool { stored == self || cyclicValues != nil }

  /// Returns whether a text is a complete value of this calendar dimension (``calendarExample``).
  package func isCalendarValue(_ text: String) -> Bool {
    switch self {
    case .weekday: CivilDate.weekdayNames.contains(text)
    case .hour: text.utf8.count == 2 && Self.hour(text) != nil
    default: text.utf8.count == calendarExample?.utf8.count && isStartOfCalendarExample(text)
    }
  }

  /// Returns whether a text is the start of a value of this calendar dimension, such as `2026-11` for a day. An hour may have
  /// one digit, and a weekday is always complete.
  func isCalendarPrefix(_ text: String) -> Bool {
    switch self {
    case .weekday: CivilDate.weekdayNames.contains(text)
    case .hour: Self.hour(text) != nil
    default: isStartOfCalendarExample(text)
    }
  }

  private func isStartOfCalendarExample(_ text: String) -> Bool {
    guard let example = calendarExample, text.utf8.count <= example.utf8.count else { return false }
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
  package var isVersion: Bool {
    switch self {
    case .context(let key), .step(_, .context(let key)): Self.versionKeys.contains(key)
    case .property, .properties, .day, .week, .month, .hour, .weekday, .version, .subject, .step: false
    }
  }
}

extension FlowDefinition {
  /// Returns whether the values of a dimension are compared as dotted versions.
  package func isVersion(_ dimension: Dimension) -> Bool {
    if dimension.isVersion { return true }
    switch dimension {
    case .property(let key): return versions.contains(.property(key))
    case .context(let key): return versions.contains(.context(key))
    case .step(_, let field): return versions.contains(field)
    case .properties, .day, .week, .month, .hour, .weekday, .version, .subject: return false
    }
  }

  /// Returns whether the values of a dimension are never read as numbers or booleans: versions and calendar dimensions.
  package func isText(_ dimension: Dimension) -> Bool { dimension.calendarExample != nil || isVersion(dimension) }
}
