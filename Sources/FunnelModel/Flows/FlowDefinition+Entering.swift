extension FlowDefinition {
  /// Returns patterns of the logged events that enter a step of the flow, including events that an upcast converts.
  ///
  /// Events that enter the step by the default value of an upcast's table (`"else"`) are not included, because
  /// no pattern expresses "any other value".
  func patterns(entering step: FlowStep) -> [EventPattern] {
    let direct: [EventPattern] =
      switch step.kind {
      case .screen: [.viewing(step.id)]
      case .permission(let permission): [EventPattern(event: PermissionEventName.name(.prePromptShown, of: permission))]
      case .event(let patterns): patterns
      }
    return direct
      + upcasts.flatMap { upcast in
        upcast.targets.flatMap { target in
          direct.filter { $0.event == target.name }.flatMap { pattern in
            target.sources(of: pattern.conditions).map { EventPattern(event: upcast.from, conditions: $0) }
          }
        }
      }
  }
}

extension EventPattern {
  /// Returns the pattern of `step_viewed` with a step's ID.
  static func viewing(_ step: String) -> EventPattern {
    EventPattern(event: StepEventName.viewed.rawValue, conditions: [PropertyCondition(field: .step, value: .string(step))])
  }
}

extension FlowDefinition.UpcastTarget {
  /// Returns the conditions on a logged event under which the converted event meets some conditions, as a list of alternatives.
  fileprivate func sources(of conditions: [PropertyCondition]) -> [[PropertyCondition]] {
    // The result is the Cartesian product of the alternatives for each condition.
    conditions.reduce([[]]) { alternatives, condition in
      let next = sources(of: condition)
      return alternatives.flatMap { earlier in next.map { earlier + $0 } }
    }
  }

  /// Returns the alternatives for one condition.
  private func sources(of condition: PropertyCondition) -> [[PropertyCondition]] {
    let value: FlowDefinition.UpcastValue? =
      switch condition.field {
      case .step: step
      case .property(let key): props[key]
      case .context: nil
      }
    switch value {
    case nil: return [[condition]]
    case .literal(let literal): return literal == condition.value ? [[]] : []
    case .field(let field): return [[PropertyCondition(field: field, value: condition.value)]]
    case .mapped(let field, let mapping):
      let listed = mapping.values.filter { $0.value == condition.value }.keys.sorted().map(PropertyValue.string)
      let isKept = mapping.otherwise == nil && mapping.values[condition.value.description] == nil
      return (listed + (isKept ? [condition.value] : [])).map { [PropertyCondition(field: field, value: $0)] }
    }
  }
}
