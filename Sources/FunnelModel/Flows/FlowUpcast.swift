extension FlowDefinition {
  /// A conversion of an event of an older build to one or several current events.
  package struct Upcast: Hashable, Sendable {
    /// The event name that the older build logged.
    package var from: String
    /// The resulting events in order, at least one.
    package var targets: [UpcastTarget]

    /// Creates an upcast to several events.
    package init(from: String, targets: [UpcastTarget]) {
      self.from = from
      self.targets = targets
    }

    /// Creates an upcast to one event.
    package init(from: String, name: String, step: UpcastValue? = nil) {
      self.init(from: from, targets: [UpcastTarget(name: name, step: step)])
    }
  }

  /// An event that results from an upcast. Fields that the target does not set keep their logged values.
  package struct UpcastTarget: Hashable, Sendable {
    /// The name of the resulting event.
    package var name: String
    /// The step of the resulting event, or `nil` to keep the logged step.
    package var step: UpcastValue?
    /// The properties to set, by key.
    package var props: [String: UpcastValue]

    package init(name: String, step: UpcastValue? = nil, props: [String: UpcastValue] = [:]) {
      self.name = name
      self.step = step
      self.props = props
    }
  }

  /// The source of a value that an upcast sets.
  package enum UpcastValue: Hashable, Sendable {
    /// A constant.
    case literal(PropertyValue)
    /// The value of a field of the logged event: `$props.screen`, `$ctx.build` or `$step`.
    case field(EventField)
    /// The value in a table for the value of a field of the logged event.
    case mapped(EventField, UpcastMapping)
  }

  /// A table of new values by logged value: `{"$map":"props.kind","values":{…},"else":"keep"}`.
  package struct UpcastMapping: Hashable, Sendable {
    /// The new values, by the text of the logged value (``PropertyValue/description``).
    package let values: [String: PropertyValue]
    /// The result for any other value, or `nil` to keep the logged value.
    package var otherwise: PropertyValue?

    /// Returns the new value for a logged one. An absent value (null) stays absent.
    package func value(for logged: PropertyValue) -> PropertyValue {
      if logged == .null { return .null }
      return values[logged.description] ?? otherwise ?? logged
    }
  }
}

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
      let listed = mapping.values.filter { $0.value == condition.value }.keys.sorted().flatMap(PropertyValue.values(withText:))
      // An absent field stays absent, whatever the table says.
      let isKept =
        condition.value == .null || (mapping.otherwise == nil && mapping.values[condition.value.description] == nil)
      return (listed + (isKept ? [condition.value] : [])).map { [PropertyCondition(field: field, value: $0)] }
    }
  }
}
