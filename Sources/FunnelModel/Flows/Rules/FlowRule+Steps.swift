// Rules about steps.

// MARK: - Events that are allowed on certain steps only

extension FlowRule {
  /// A rule: `step_back` occurs on certain steps only.
  package typealias BackFrom = AllowedSteps<BackEvent>
  /// A rule: `step_skipped` occurs on certain steps only.
  package typealias Skippable = AllowedSteps<SkipEvent>

  /// A rule: an event occurs on certain steps only.
  package struct AllowedSteps<Event: StepRestrictedEvent>: FlowRuleParameters {
    static var kind: Kind { Event.kind }
    static var requiredKeys: [String] { ["steps"] }

    /// The IDs of the steps.
    package var steps: [String]

    func sentence(target: String?) -> String {
      let name = Event.name.rawValue
      let allowed = steps.isEmpty ? nil : "only \(Event.preposition) \(steps.listed("and"))"
      if let target, !steps.contains(target) {
        return "\(name) is not possible \(Event.preposition) \(target)\(allowed.map { ", \($0)" } ?? "")"
      }
      return "\(name) is possible \(allowed ?? "\(Event.preposition) no step")"
    }
  }

  /// The event of ``BackFrom``.
  package enum BackEvent: StepRestrictedEvent {
    package static let kind = Kind.backFrom
    package static let name = StepEventName.back
    package static let preposition = "from"
  }

  /// The event of ``Skippable``.
  package enum SkipEvent: StepRestrictedEvent {
    package static let kind = Kind.skippable
    package static let name = StepEventName.skipped
    package static let preposition = "on"
  }
}

/// An event that a kind of rule allows on certain steps only.
package protocol StepRestrictedEvent {
  static var kind: FlowRule.Kind { get }
  static var name: StepEventName { get }
  /// The preposition before a step in a sentence about the event: from a step, on a step.
  static var preposition: String { get }
}

extension FlowRule.AllowedSteps {
  init?(_ reader: FlowRuleReader) {
    guard let steps = reader.steps("steps") else { return nil }
    self.steps = steps
  }
}

// MARK: - Numbers of items

extension FlowRule {
  /// A rule: a step is completed with at most a certain number of items.
  package typealias MaxItems = ItemLimit<Maximum>
  /// A rule: a step is completed with at least a certain number of items.
  package typealias MinItems = ItemLimit<Minimum>

  /// A rule: the number of items with which a step is completed has a bound.
  package struct ItemLimit<Bound: ItemBound>: FlowRuleParameters {
    static var kind: Kind { Bound.kind }
    static var requiredKeys: [String] { ["step", "prop", Bound.key] }
    static var optionalKeys: [String] { ["reason"] }

    /// The ID of the step.
    package var step: String
    /// The key in `props` of `step_completed` with the number of items.
    package var property: String
    /// The largest or the smallest number of items, inclusive.
    package var limit: Int
    /// The `props.reason` of `step_failed` if the number is beyond the limit, or `nil` if it is unspecified.
    package var reason: String?

    func sentence(target: String?) -> String { "props.\(property) is \(Bound.phrase) \(limit) when \(step) is completed" }

    func factKeys(ofEvent name: String) -> [String] { name == StepEventName.completed.rawValue ? [property] : [] }

    func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict? {
      guard name == StepEventName.completed.rawValue, step == self.step else { return nil }
      return value(property).readNumber.map { Bound.admits($0, limit: Double(limit)) ? .consistent : .contradiction }
    }
  }

  /// The bound of ``MaxItems``.
  package enum Maximum: ItemBound {
    package static let kind = Kind.maxItems
    package static let key = "maximum"
    package static let phrase = "at most"
    package static func admits(_ count: Double, limit: Double) -> Bool { count <= limit }
  }

  /// The bound of ``MinItems``.
  package enum Minimum: ItemBound {
    package static let kind = Kind.minItems
    package static let key = "minimum"
    package static let phrase = "at least"
    package static func admits(_ count: Double, limit: Double) -> Bool { count >= limit }
  }
}

/// A bound of a number of items, inclusive.
package protocol ItemBound {
  static var kind: FlowRule.Kind { get }
  /// The key of the limit in a definition.
  static var key: String { get }
  /// The words before the limit in a sentence.
  static var phrase: String { get }
  /// Returns whether a number of items is within the limit.
  static func admits(_ count: Double, limit: Double) -> Bool
}

extension FlowRule.ItemLimit {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let property = reader.object.text("prop")
    let limit = reader.object.integer(Bound.key)
    let reason = reader.object.text("reason")
    guard let step, let property, let limit else { return nil }
    self.init(step: step, property: property, limit: limit, reason: reason)
  }
}

// MARK: - Rules without parameters

extension FlowRule {
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
}
