/// Determines which events can occur in a flow, given the schemas and upcasts of its definition.
struct ReachableEvents {
  private let definition: FlowDefinition
  /// The upcasts by the logged name.
  private let upcasts: [String: FlowDefinition.Upcast]
  /// The names of events that result from upcasts. They were validated under their logged names, so the schemas
  /// of these names do not restrict them.
  private let upcastTargets: Set<String>

  /// Creates the events of a definition.
  init(of definition: FlowDefinition) {
    self.definition = definition
    upcasts = Dictionary(definition.upcasts.map { ($0.from, $0) }) { first, _ in first }
    upcastTargets = Set(definition.upcasts.flatMap(\.targets).map(\.name))
  }

  /// Returns the reason why no event of a name can meet all of the conditions, or `nil` if one may.
  func obstacle(to name: String, _ conditions: [PropertyCondition]) -> String? {
    if let upcast = upcasts[name], !upcastTargets.contains(name) {
      let names = upcast.targets.map(\.name.quoted).joined(separator: " and ")
      return "an upcast reads \(name.quoted) as \(names)"
    }
    let step = conditions.first { $0.field == .step }?.value
    if let step, let obstacle = Self.obstacle(toStep: step) { return obstacle }
    guard !upcastTargets.contains(name) else { return nil }
    let requirements = definition.propertyRequirements(event: name, step: Self.id(of: step))
    for case (.property(let key), let value) in conditions.map({ ($0.field, $0.value) }) {
      if value == .null, requirements.contains(where: { $0.required.contains(key) }) {
        return "props.\(key.printable) of \(name.quoted) is required, so it is never absent"
      }
      for schema in requirements.compactMap({ $0.props[key] }) where value != .null {
        if let violation = schema.violation(of: value, key: key) { return "the schema of \(name.quoted) says \(violation)" }
      }
    }
    return nil
  }

  private static func id(of step: PropertyValue?) -> String? {
    if case .string(let id)? = step { id } else { nil }
  }

  /// Returns the reason why no event has a step ID, or `nil` if one may.
  private static func obstacle(toStep value: PropertyValue) -> String? {
    switch value {
    case .null: nil
    case .string(let text):
      NameSyntax.matches(text) ? nil : "\(text.quoted) is not a valid step id, \(NameSyntax.rule)"
    default: "a step id is a string, not \(value)"
    }
  }
}

extension ReachableEvents {
  /// Returns a finding for each step that no event can enter, and for each outcome, exclusion and rule that no event can match.
  func findings(_ locations: DefinitionLocations) -> [ConfigurationProblem] {
    var findings: [ConfigurationProblem] = []
    for (index, step) in definition.steps.enumerated() { findings += self.findings(on: step, index, locations) }
    for outcome in definition.outcomes {
      let obstacles = outcome.events.map { obstacle(to: $0, outcome.conditions) }
      guard let reason = obstacles.first ?? nil, obstacles.allSatisfy({ $0 != nil }) else { continue }
      findings.append(locations.problem(at: ["outcomes", .key(outcome.name)], "nobody can have this outcome: \(reason)"))
    }
    for (index, exclusion) in definition.exclusions.enumerated() {
      guard let reason = obstacle(to: exclusion.event, []) else { continue }
      findings.append(locations.problem(at: ["exclude", .index(index), "event"], "it can't exclude anybody: \(reason)"))
    }
    for (index, rule) in definition.rules.enumerated() {
      for required in rule.parameters.requiredValues {
        guard let reason = obstacle(to: required.event, [required.condition]) else { continue }
        let path: [DefinitionLocations.PathPart] = ["rules", .index(index)]
        findings.append(locations.problem(at: path + required.path, "no event can have this value: \(reason)"))
      }
    }
    return findings
  }

  private func findings(on step: FlowStep, _ index: Int, _ locations: DefinitionLocations) -> [ConfigurationProblem] {
    let path: [DefinitionLocations.PathPart] = ["steps", .index(index)]
    switch step.kind {
    case .screen:
      let reason = obstacle(to: StepEventName.viewed.rawValue, [PropertyCondition(field: .step, value: .string(step.id))])
      return reason.map { [locations.problem(at: path, "nobody can enter the step: \($0)")] } ?? []
    case .permission(let permission):
      let reason = obstacle(to: PermissionEventName.name(.prePromptShown, of: permission), [])
      return reason.map { [locations.problem(at: path, "nobody can enter the step: \($0)")] } ?? []
    case .event(let patterns):
      let obstacles = patterns.map { obstacle(to: $0.event, $0.conditions) ?? obstacleOfUnknownStep(in: $0) }
      let isUnreachable = obstacles.allSatisfy { $0 != nil }
      return obstacles.enumerated().compactMap { patternIndex, obstacle in
        guard let obstacle else { return nil }
        let what = isUnreachable ? "nobody can enter the step" : "no event can enter the step this way"
        return locations.problem(at: path + ["entered_by", .index(patternIndex)], "\(what): \(obstacle)")
      }
    }
  }

  /// Returns the reason why no event matches a pattern of a `step_*` event with an unknown step, or `nil` for
  /// any other pattern.
  private func obstacleOfUnknownStep(in pattern: EventPattern) -> String? {
    guard StepEventName.isAboutStep(pattern.event),
      case .string(let id)? = pattern.conditions.first(where: { $0.field == .step })?.value,
      !definition.steps.contains(where: { $0.id == id })
    else { return nil }
    let nearest = NearestName.find(id, in: definition.steps.map(\.id)).map { ", did you mean \"\($0)\"?" } ?? ""
    return "the flow has no step \(id.quoted)\(nearest)"
  }
}
