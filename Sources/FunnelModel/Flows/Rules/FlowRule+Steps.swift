// Rules about steps and the properties of their events.

extension FlowRule {
  /// A rule: `step_back` occurs on certain steps only.
  package struct BackFrom: FlowRuleParameters {
    static let kind = Kind.backFrom
    static let requiredKeys = ["steps"]

    /// The IDs of the steps.
    package var steps: [String]

    func sentence(target: String?) -> String {
      FlowRule.sentence(about: "step_back", allowed: steps, "from", target: target)
    }
  }

  /// A rule: `step_skipped` occurs on certain steps only.
  package struct Skippable: FlowRuleParameters {
    static let kind = Kind.skippable
    static let requiredKeys = ["steps"]

    /// The IDs of the steps.
    package var steps: [String]

    func sentence(target: String?) -> String {
      FlowRule.sentence(about: "step_skipped", allowed: steps, "on", target: target)
    }
  }

  /// A rule: every `step_*` event that names this flow and version has the ID of one of its steps.
  struct KnownStep: ParameterlessRule {
    static let kind = Kind.knownStep

    func sentence(target: String?) -> String { "every step event names a step of the flow" }
  }

  /// A rule: the first required step is not entered again after the last required step was entered.
  struct NotAfterCompletion: ParameterlessRule {
    static let kind = Kind.notAfterCompletion

    func sentence(target: String?) -> String { "the flow does not start again after it was completed" }
  }

  /// A rule: the `progress` of an event that enters a step equals the step's (``FlowStep/progress``).
  struct Progress: ParameterlessRule {
    static let kind = Kind.progress

    func sentence(target: String?) -> String {
      "props.progress has the value in the definition when \(target ?? "a step") is entered"
    }
  }

  /// A rule: a step is completed with at most a certain number of items.
  package struct MaxItems: FlowRuleParameters {
    static let kind = Kind.maxItems
    static let requiredKeys = ["step", "prop", "maximum"]
    static let optionalKeys = ["reason"]

    /// The ID of the step.
    package var step: String
    /// The key in `props` of `step_completed` with the number of items.
    package var property: String
    /// The maximum number of items.
    package var maximum: Int
    /// The `props.reason` of `step_failed` if there are more items, or `nil` if it is unspecified.
    package var reason: String?

    func sentence(target: String?) -> String { "props.\(property) is at most \(maximum) when \(step) is completed" }

    func factKeys(ofEvent name: String) -> [String] { name == StepEventName.completed.rawValue ? [property] : [] }

    func isContradicted(byEvent name: String, step: String?, value: (String) -> PropertyValue) -> Bool? {
      guard name == StepEventName.completed.rawValue, step == self.step else { return nil }
      return value(property).readNumber.map { $0 > Double(maximum) }
    }
  }

  /// A rule: a step is completed with at least a certain number of items.
  package struct MinItems: FlowRuleParameters {
    static let kind = Kind.minItems
    static let requiredKeys = ["step", "prop", "minimum"]
    static let optionalKeys = ["reason"]

    /// The ID of the step.
    package var step: String
    /// The key in `props` of `step_completed` with the number of items.
    package var property: String
    /// The minimum number of items.
    package var minimum: Int
    /// The `props.reason` of `step_failed` if there are fewer items, or `nil` if it is unspecified.
    package var reason: String?

    func sentence(target: String?) -> String { "props.\(property) is at least \(minimum) when \(step) is completed" }

    func factKeys(ofEvent name: String) -> [String] { name == StepEventName.completed.rawValue ? [property] : [] }

    func isContradicted(byEvent name: String, step: String?, value: (String) -> PropertyValue) -> Bool? {
      guard name == StepEventName.completed.rawValue, step == self.step else { return nil }
      return value(property).readNumber.map { $0 < Double(minimum) }
    }
  }

  /// A rule: a property of the event that starts the flow contains the reason for the start.
  package struct StartTrigger: FlowRuleParameters {
    static let kind = Kind.startTrigger
    static let requiredKeys = ["event", "prop"]
    static let optionalKeys = ["first", "until_completed", "forced"]

    /// The name of the event.
    package var event: String
    /// The key in `props` with the reason.
    package var property: String
    /// The reason of a group's first start, or `nil` if it is unspecified.
    package var first: String?
    /// The reason of a later start before the group has completed the flow, or `nil` if it is unspecified.
    package var untilCompleted: String?
    /// The reason of a start that is allowed at any time, or `nil` if it is unspecified.
    package var forced: String?

    func sentence(target: String?) -> String {
      let parts = [
        first.map { "\($0) only at the first start" },
        untilCompleted.map { "\($0) only at a later start before the flow was completed" }, forced.map { "\($0) at any start" },
      ].compactMap(\.self)
      guard !parts.isEmpty else { return "props.\(property) of \(event) is the reason for the start" }
      return "props.\(property) of \(event): \(parts.joined(separator: ", "))"
    }

    func factKeys(ofEvent name: String) -> [String] { name == event ? [property] : [] }

    func isContradicted(byEvent name: String, step: String?, value: (String) -> PropertyValue) -> Bool? {
      guard name == event else { return nil }
      let trigger = value(property)
      if let first, trigger == .string(first) { return false }
      return untilCompleted.map(PropertyValue.string) == trigger ? true : nil
    }

    var requiredValues: [RequiredValue] {
      [("first", first), ("until_completed", untilCompleted), ("forced", forced)].compactMap { key, value in
        value.map { RequiredValue(event: event, property: property, value: $0, key: key) }
      }
    }
  }

  /// A rule: events have no property with certain keys. An event with one is rejected, as with a key of ``PrivacyRules``.
  package struct NoPersonalData: FlowRuleParameters {
    static let kind = Kind.noPersonalData
    static let requiredKeys = ["keys"]
    static let canBeBroken = false

    /// The keys, each of one or several words: `ssid`, `contact_name`, `contact name`.
    package var keys: [String]

    func sentence(target: String?) -> String { "no event has a property named \(keys.listed("or"))" }
  }

  /// Returns a sentence about an event that is allowed on certain steps only.
  private static func sentence(
    about event: String, allowed steps: [String], _ preposition: String, target: String?
  ) -> String {
    let allowed = steps.isEmpty ? "" : "only \(preposition) \(steps.listed("and"))"
    if let target, !steps.contains(target) {
      return "\(event) is not possible \(preposition) \(target)\(allowed.isEmpty ? "" : ", \(allowed)")"
    }
    return "\(event) is possible \(allowed.isEmpty ? "\(preposition) no step" : allowed)"
  }
}

extension FlowRule.BackFrom {
  init?(_ reader: FlowRuleReader) {
    guard let steps = reader.steps("steps") else { return nil }
    self.steps = steps
  }
}

extension FlowRule.Skippable {
  init?(_ reader: FlowRuleReader) {
    guard let steps = reader.steps("steps") else { return nil }
    self.steps = steps
  }
}

extension FlowRule.MaxItems {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let property = reader.object.text("prop")
    let maximum = reader.object.integer("maximum")
    let reason = reader.object.text("reason")
    guard let step, let property, let maximum else { return nil }
    self.init(step: step, property: property, maximum: maximum, reason: reason)
  }
}

extension FlowRule.MinItems {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let property = reader.object.text("prop")
    let minimum = reader.object.integer("minimum")
    let reason = reader.object.text("reason")
    guard let step, let property, let minimum else { return nil }
    self.init(step: step, property: property, minimum: minimum, reason: reason)
  }
}

extension FlowRule.StartTrigger {
  init?(_ reader: FlowRuleReader) {
    let event = reader.event("event")
    let property = reader.object.text("prop")
    let first = reader.object.text("first")
    let untilCompleted = reader.object.text("until_completed")
    let forced = reader.object.text("forced")
    guard let event, let property else { return nil }
    self.init(event: event, property: property, first: first, untilCompleted: untilCompleted, forced: forced)
  }
}

extension FlowRule.NoPersonalData {
  init?(_ reader: FlowRuleReader) {
    guard let value = reader.object["keys"], let keys = reader.object.texts("keys") else { return nil }
    for element in reader.input.elements(of: value) {
      guard let key = element.node.string, !key.isEmpty,
        !key.utf8.contains(where: { $0.isASCIILetter || $0.isASCIIDigit })
      else { continue }
      reader.input.report("\(key.quoted) has no letter and no digit, at least one is needed", at: element)
    }
    self.init(keys: keys)
  }
}
