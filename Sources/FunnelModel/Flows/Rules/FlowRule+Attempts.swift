// Rules about attempts: their start, their success and their failure.

extension FlowRule {
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

    func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict? {
      guard name == event else { return nil }
      let trigger = value(property)
      if let first, trigger == .string(first) { return .consistent }
      if let untilCompleted, trigger == .string(untilCompleted) { return .laterStart }
      return nil
    }

    var requiredValues: [RequiredValue] {
      [("first", first), ("until_completed", untilCompleted), ("forced", forced)].compactMap { key, value in
        value.map { RequiredValue(event: event, property: property, value: $0, key: key) }
      }
    }
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

extension FlowRule {
  /// A rule: after a number of successes in a period, the next attempt succeeds automatically.
  package struct AutoVerifyAfter: FlowRuleParameters {
    static let kind = Kind.autoVerifyAfter
    static let requiredKeys = ["connections", "period", "event", "method"]
    static let optionalKeys = ["skips"]

    /// The required number of successes.
    package var connections: Int
    /// The period in UTC in which they must occur.
    package var period: CalendarUnit
    /// The event of a success.
    package var event: String
    /// The `props.method` of an automatic success.
    package var method: String
    /// The ID of the step that an automatic success skips, or `nil` if it skips none.
    package var skippedStep: String?

    func sentence(target: String?) -> String {
      let successes = connections == 1 ? "success" : "successes"
      let period = period == .day ? "on the same day" : "in the same \(period.rawValue)"
      return "\(event) with the method \(method) comes only after \(connections) earlier \(successes) \(period)"
    }

    func factKeys(ofEvent name: String) -> [String] { name == event ? ["method"] : [] }

    func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict? {
      name == event && value("method") == .string(method) ? .consistent : nil
    }

    var requiredValues: [RequiredValue] { [RequiredValue(event: event, property: "method", value: method, key: "method")] }
  }
}

extension FlowRule.AutoVerifyAfter {
  init?(_ reader: FlowRuleReader) {
    let connections = reader.object.integer("connections", atLeast: 1)
    let period = reader.object.choice("period", CalendarUnit.self)
    let event = reader.event("event")
    let method = reader.object.text("method")
    let skippedStep = reader.step("skips")
    guard let connections, let period, let event, let method else { return nil }
    self.init(connections: connections, period: period, event: event, method: method, skippedStep: skippedStep)
  }
}

extension FlowRule {
  /// A rule: a failure with a certain reason has a certain type and duration.
  package struct FailureReason: FlowRuleParameters {
    static let kind = Kind.failureReason
    static let requiredKeys = ["event", "reason"]
    static let optionalKeys = ["types", "minimum_milliseconds", "within_milliseconds"]

    /// The event of the failure.
    package var event: String
    /// The `props.reason` of the failure.
    package var reason: String
    /// The allowed values of `props.type`. An empty array allows all values.
    package var types: [String] = []
    /// The required duration that the attempt did not reach, in milliseconds, or `nil` if there is none.
    package var minimumMilliseconds: Int?
    /// The time limit that the attempt exceeded, in milliseconds, or `nil` if there is none.
    package var withinMilliseconds: Int?

    func sentence(target: String?) -> String {
      var sentence = "\(event) with the reason \(reason) is of \(types.isEmpty ? "any type" : "the type \(types.listed("or"))")"
      if let minimumMilliseconds { sentence += " and lasted at most \(minimumMilliseconds.inSeconds)" }
      if let withinMilliseconds { sentence += ", after \(withinMilliseconds.inSeconds) without success" }
      return sentence
    }

    func factKeys(ofEvent name: String) -> [String] { name == event ? ["reason", "type", "duration_ms"] : [] }

    func verdict(onEvent name: String, step: String?, value: (String) -> PropertyValue) -> RuleVerdict? {
      guard name == event, value("reason") == .string(reason) else { return nil }
      if !types.isEmpty, case .string(let type) = value("type"), !types.contains(type) { return .contradiction }
      // With a time limit, the rule is about times that are not in the event.
      guard let minimumMilliseconds, withinMilliseconds == nil, let duration = value("duration_ms").readNumber
      else { return .consistent }
      return duration > Double(minimumMilliseconds) ? .contradiction : .consistent
    }

    var requiredValues: [RequiredValue] {
      [RequiredValue(event: event, property: "reason", value: reason, key: "reason")]
        + types.enumerated().map { RequiredValue(event: event, property: "type", value: $1, key: "types", index: $0) }
    }
  }
}

extension FlowRule.FailureReason {
  init?(_ reader: FlowRuleReader) {
    let event = reader.event("event")
    let reason = reader.object.text("reason")
    let types = reader.object.texts("types")
    let minimum = reader.object.integer("minimum_milliseconds")
    let within = reader.object.integer("within_milliseconds")
    guard let event, let reason else { return nil }
    self.init(event: event, reason: reason, types: types ?? [], minimumMilliseconds: minimum, withinMilliseconds: within)
  }
}
