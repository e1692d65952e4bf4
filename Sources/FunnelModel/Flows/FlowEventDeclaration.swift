extension FlowDefinition {
  /// An event that the flow declares, and the schemas its properties must conform to.
  package struct EventDeclaration: Hashable, Sendable {
    /// The event's name.
    package let name: String
    /// The schemas of properties, by key.
    package var props: [String: PropertySchema] = [:]
    /// The keys of the properties that every such event must have.
    package var required: [String] = []
    /// Additional requirements for events of certain steps.
    package var steps: [StepProperties] = []
  }

  /// The requirements for the properties of events of one step.
  package struct StepProperties: Hashable, Sendable {
    /// The step's ID.
    package let step: String
    /// The schemas of properties, by key.
    package var props: [String: PropertySchema] = [:]
    /// The keys of the properties that such an event must have.
    package var required: [String] = []
  }

  /// The requirements of one declaration for the properties of an event.
  package struct PropertyRequirements: Hashable, Sendable {
    /// The schemas, by key.
    package let props: [String: PropertySchema]
    /// The keys of the properties that the event must have.
    package let required: [String]
  }

  /// Returns the requirements for events of a name and a step: those of the event, of its step in the event's declaration,
  /// and of the step itself. All of them apply.
  ///
  /// - Parameter step: The step's ID, or `nil` for the requirements for events of every step.
  package func propertyRequirements(event name: String, step id: String?) -> [PropertyRequirements] {
    let declarations = events.filter { $0.name == name }
    let ofSteps = declarations.flatMap(\.steps).filter { $0.step == id }
    let steps = StepEventName.isAboutStep(name) ? steps.filter { $0.id == id } : []
    return declarations.map { PropertyRequirements(props: $0.props, required: $0.required) }
      + ofSteps.map { PropertyRequirements(props: $0.props, required: $0.required) }
      + steps.map { PropertyRequirements(props: $0.props, required: $0.requiredProps) }
  }
}

extension FlowDefinitionReader {
  /// Reads `events`: further events of the flow, by name.
  func readEvents(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.EventDeclaration] {
    let members = input.object(value, needed: "an object of events by name")?.members ?? []
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      guard let object = input.object(member.value, allowed: ["props", "required", "steps"]), isNamed else { return nil }
      if let steps = object["steps"], !StepEventName.isAboutStep(member.key) {
        input.report(
          "\(member.key.quoted) does not belong to a step, only events named step_* do, remove \"steps\" or rename the event",
          at: steps)
      }
      return FlowDefinition.EventDeclaration(
        name: member.key, props: object["props"].map(readProperties) ?? [:], required: readRequired(object),
        steps: object["steps"].map { readStepProperties($0, names: names) } ?? [])
    }
  }

  /// Reads `props`: the schemas of properties, by key.
  func readProperties(_ value: ConfigurationValue) -> [String: PropertySchema] {
    var result: [String: PropertySchema] = [:]
    for member in input.object(value, needed: "an object of schemas by property")?.members ?? [] {
      result[member.key] = input.propertySchema(member.value)
    }
    return result
  }

  /// Reads `required`: the keys of the properties that an event must have.
  func readRequired(_ object: ConfigurationObject) -> [String] {
    object.texts("required", isEmptyAllowed: true) ?? []
  }

  private func readStepProperties(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.StepProperties] {
    var result: [FlowDefinition.StepProperties] = []
    for element in input.array(value, needed: "an array of steps", isEmptyAllowed: false) ?? [] {
      guard
        let object = input.object(
          element, allowed: ["id", "props", "required"], required: ["id"], needed: "an object (a step's properties)")
      else { continue }
      let properties = object["props"].map(readProperties) ?? [:]
      let required = readRequired(object)
      guard let location = object["id"], let id = input.name(location) else { continue }
      input.checkReference(to: id, in: names.stepIDs, "step", at: location)
      if result.contains(where: { $0.step == id }) {
        input.report("the step \(id.quoted) is listed twice, merge its properties", at: location)
      }
      result.append(FlowDefinition.StepProperties(step: id, props: properties, required: required))
    }
    return result
  }
}
