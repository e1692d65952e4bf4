/// A property value that a rule requires of an event.
struct RuleClaim {
  /// The names of the events. At least one of them must be able to have the value.
  var events: [String]
  /// The property and its value.
  var condition: PropertyCondition
  /// The path to the value within the rule.
  var path: [DefinitionLocations.PathPart]

  private init(_ events: [String], _ key: String, _ value: PropertyValue, _ path: [DefinitionLocations.PathPart]) {
    self.events = events
    condition = PropertyCondition(field: .property(key), value: value)
    self.path = path
  }

  /// Returns all property values that a rule requires.
  static func all(of rule: FlowRule) -> [RuleClaim] {
    switch rule {
    case .startTrigger(let rule):
      let values = [("first", rule.first), ("until_completed", rule.untilCompleted), ("forced", rule.forced)]
      return values.compactMap { key, value in
        value.map { RuleClaim([rule.event], rule.property, .string($0), [.key(key)]) }
      }
    case .failureReason(let rule):
      return [RuleClaim([rule.event], "reason", .string(rule.reason), ["reason"])] + types(rule.types, of: [rule.event])
    case .autoVerifyAfter(let rule):
      return [RuleClaim([rule.event], "method", .string(rule.method), ["method"])]
    default:
      return []
    }
  }

  private static func types(_ types: [String], of events: [String]) -> [RuleClaim] {
    types.enumerated().map { RuleClaim(events, "type", .string($1), ["types", .index($0)]) }
  }
}
