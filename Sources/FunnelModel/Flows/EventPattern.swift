/// A pattern of events: a name and conditions on fields.
///
///     // A `screen` whose `props.name` is `Start`.
///     EventPattern(event: "screen", conditions: [PropertyCondition(field: .property("name"), value: .string("Start"))])
package struct EventPattern: Hashable, Sendable {
  /// The name of the event.
  package let event: String
  /// The conditions, all of which must hold.
  package let conditions: [PropertyCondition]

  package init(event: String, conditions: [PropertyCondition] = []) {
    self.event = event
    self.conditions = conditions
  }
}

/// A condition that a field of an event has a value.
package struct PropertyCondition: Hashable, Sendable {
  package let field: EventField
  /// The required value. Null requires that the field is absent.
  package let value: PropertyValue
}

/// A field of an event that conditions, upcasts and dimensions may refer to.
package enum EventField: Hashable, Sendable {
  /// The ID of the step.
  case step
  /// The value of a key in `props`.
  case property(String)
  /// The value of a key in `ctx`.
  case context(String)

  /// Parses `step`, `props.name` or `ctx.name`, or returns `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    if text == "step" {
      self = .step
    } else if let key = Self.key(in: text, after: "props.") {
      self = .property(key)
    } else if let key = Self.key(in: text, after: "ctx.") {
      self = .context(key)
    } else {
      return nil
    }
  }

  /// Returns the text after a prefix, or `nil` if the text does not have the prefix or nothing follows it.
  private static func key(in text: some StringProtocol, after prefix: String) -> String? {
    guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
    return String(text.dropFirst(prefix.count))
  }

  /// The field as written in definitions: `step`, `props.name` or `ctx.name`.
  package var description: String {
    switch self {
    case .step: "step"
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    }
  }
}

extension EventPattern {
  /// Returns the pattern of `step_viewed` with a step's ID.
  package static func viewing(_ step: String) -> EventPattern {
    EventPattern(event: StepEventName.viewed.rawValue, conditions: [PropertyCondition(field: .step, value: .string(step))])
  }
}
