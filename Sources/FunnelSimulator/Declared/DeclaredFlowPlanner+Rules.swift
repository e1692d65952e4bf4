import FunnelModel

/// The rules of a definition that concern what people do.
extension DeclaredFlowPlanner {
  /// Returns the permissions that must be granted before a step is shown.
  func requiredPermissions(of step: FlowStep) -> [String] {
    definition.rules.flatMap { rule -> [String] in
      if case .onlyIfAllGranted(let rule) = rule, rule.step == step.id { rule.permissions } else { [] }
    }
  }

  /// Returns whether people can skip a screen: only one that a rule names.
  func isSkippable(_ step: FlowStep) -> Bool {
    definition.rules.contains { rule in
      if case .skippable(let rule) = rule { rule.steps.contains(step.id) } else { false }
    }
  }

  /// Returns whether people can go back from a screen: only from one that a rule names.
  func allowsBack(_ step: FlowStep) -> Bool {
    definition.rules.contains { rule in
      if case .backFrom(let rule) = rule { rule.steps.contains(step.id) } else { false }
    }
  }

  /// Returns whether people can decline a permission on its pre-prompt. Apple's Human Interface Guidelines allow no such way for some
  /// kinds of permissions, whether or not the definition has the rule.
  func hasWayPast(_ permission: String) -> Bool {
    guard FlowRule.PreAlertWithoutAlert.DialogKind(rawValue: permission) == nil else { return false }
    return !definition.rules.contains { rule in
      if case .preAlertWithoutAlert(let rule) = rule { rule.permissions.contains(permission) } else { false }
    }
  }

  /// Returns the time for which the skip of a permission is explained, in milliseconds.
  func skipMilliseconds(of permission: String) -> Int64 {
    let delays = definition.rules.compactMap { rule -> Int? in
      if case .skipDelay(let rule) = rule, rule.permissions.contains(permission) { rule.milliseconds } else { nil }
    }
    return delays.max().map(Int64.init) ?? SubjectPath.skipExplanationMilliseconds
  }

  /// Returns the progress at the pre-prompt of a permission, or `nil` if there is none to show.
  func promptProgress(of permission: String, in step: FlowStep) -> Double? {
    for case .permissionProgress(let rule) in definition.rules where rule.step == step.id {
      if let progress = rule.progress(of: permission) { return progress }
    }
    return step.isPrePrompt ? step.progress : nil
  }

  /// Returns the property that tells why the flow is shown, if an event has one.
  func startTrigger(of event: String, isFirstStart: Bool) -> [String: PropertyValue] {
    for case .startTrigger(let rule) in definition.rules where rule.event == event {
      guard let trigger = isFirstStart ? rule.first ?? rule.forced : rule.untilCompleted ?? rule.forced else { continue }
      return [rule.property: .string(trigger)]
    }
    return [:]
  }

  /// Returns the bounds that rules set for the number of items in a step, as schemas of the property that holds it.
  func itemBounds(step: String?, property: String) -> [PropertySchema] {
    definition.rules.compactMap { rule in
      var schema = PropertySchema()
      switch rule {
      case .minItems(let rule) where rule.step == step && rule.property == property: schema.minimum = Double(rule.limit)
      case .maxItems(let rule) where rule.step == step && rule.property == property: schema.maximum = Double(rule.limit)
      default: return nil
      }
      return schema
    }
  }

  /// Returns the values of `props.method` that an event must not have, because an automatic success needs earlier ones.
  func automaticMethods(of event: String, property: String) -> [PropertyValue] {
    guard property == "method" else { return [] }
    return definition.rules.compactMap { rule in
      if case .autoVerifyAfter(let rule) = rule, rule.event == event { .string(rule.method) } else { nil }
    }
  }
}
