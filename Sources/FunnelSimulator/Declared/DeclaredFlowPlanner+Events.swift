import FunnelModel

/// The events of a flow, with properties that satisfy what the definition says about them.
extension DeclaredFlowPlanner {
  /// The schemas of a property, and whether the event must have it.
  private struct Requirement {
    var schemas: [PropertySchema] = []
    var isRequired = false
  }

  /// Adds an event.
  ///
  /// - Parameters:
  ///   - step: The step that the event is about, used if it has to name one.
  ///   - conditions: What the event's fields must be.
  ///   - values: The values of some properties, used unless a condition says otherwise.
  /// - Returns: The index of the event.
  /// - Throws: ``FunnelError`` with code `configuration` if the event needs a property for which no value can be invented.
  mutating func addEvent(
    _ name: String, step: String? = nil, conditions: [PropertyCondition] = [], values: [String: PropertyValue] = [:]
  ) throws(FunnelError) -> UInt32 {
    var values = values
    var absent: Set<String> = []
    var step = StepEventName.isAboutStep(name) ? step : nil
    var context: [(key: String, json: [UInt8])] = []
    for condition in conditions {
      switch (condition.field, condition.value) {
      case (.step, .string(let text)): step = text
      case (.step, _): step = nil
      case (.property(let key), .null):
        absent.insert(key)
        values[key] = nil
      case (.property(let key), let value): values[key] = value
      case (.context(let key), let value): context.append((key, value.json))
      }
    }
    var properties: [String: PropertyGenerator] = values.mapValues { .oneOf([$0.json]) }
    for (key, requirement) in requirements(of: name, step: step) where properties[key] == nil && !absent.contains(key) {
      let isCompletion = name == StepEventName.completed.rawValue
      let bounds = isCompletion ? itemBounds(step: step, property: key) : []
      let generator = PropertyGenerator(
        key: key, schemas: requirement.schemas + bounds, excluding: automaticMethods(of: name, property: key))
      if requirement.isRequired, generator == nil { throw noValue(key, of: name) }
      properties[key] = generator
    }
    events.append(
      EventTemplate(
        flow: index, name: Array(name.utf8), step: step.map { Array($0.utf8) },
        props: properties.sorted { $0.key < $1.key }.map { key, generator in
          EventTemplate.Property(key: PropertyValue.string(key).json, hash: SplitMix64.hash(of: key), values: generator)
        }, context: context))
    return UInt32(events.count - 1)
  }

  /// Returns the properties that an event has: all that the definition declares for its name, and those of its step. Of the step's
  /// properties, only its completion has those that are not required.
  private func requirements(of name: String, step: String?) -> [String: Requirement] {
    var result: [String: Requirement] = [:]
    func add(_ props: [String: PropertySchema], _ required: [String]) {
      for (key, schema) in props { result[key, default: Requirement()].schemas.append(schema) }
      for key in required { result[key, default: Requirement()].isRequired = true }
    }
    for declared in definition.events where declared.name == name {
      add(declared.props, declared.required)
      for ofStep in declared.steps where ofStep.step == step { add(ofStep.props, ofStep.required) }
    }
    if StepEventName.isAboutStep(name), let declared = definition.steps.first(where: { $0.id == step }) {
      let isCompletion = name == StepEventName.completed.rawValue
      add(
        declared.props.filter { isCompletion || declared.requiredProps.contains($0.key) || result[$0.key] != nil },
        declared.requiredProps)
    }
    return result
  }

  private func noValue(_ key: String, of event: String) -> FunnelError {
    FunnelError(
      .configuration,
      "\(definition.reference): no value can be invented for props.\(key.printable), which \(event) requires, list some in \"enum\""
    )
  }
}

extension PropertyValue {
  fileprivate var json: [UInt8] {
    var bytes: [UInt8] = []
    appendJSON(to: &bytes)
    return bytes
  }
}
