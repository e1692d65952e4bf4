extension FlowDefinition {
  /// Returns the logged events that enter a step of the flow, also those that it reads as another event by an upcast.
  ///
  /// An upcast whose table gives the same value to everything it does not list (`"else"`) is left out where that value is the one that
  /// enters the step: no pattern stands for "any other value".
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
  /// The event with which a screen of this id is shown.
  static func viewing(_ step: String) -> EventPattern {
    EventPattern(event: StepEventName.viewed.rawValue, conditions: [PropertyCondition(field: .step, value: .string(step))])
  }
}

extension FlowDefinition.UpcastTarget {
  /// Returns the alternatives for what a logged event must fulfill so that the event it is read as fulfills some conditions.
  fileprivate func sources(of conditions: [PropertyCondition]) -> [[PropertyCondition]] {
    conditions.reduce([[]]) { alternatives, condition in
      let own = sources(of: condition)
      return alternatives.flatMap { earlier in own.map { earlier + $0 } }
    }
  }

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
