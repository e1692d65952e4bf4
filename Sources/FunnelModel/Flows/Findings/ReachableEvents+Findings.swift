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
      for claim in RuleClaim.all(of: rule) {
        let obstacles = claim.events.map { obstacle(to: $0, [claim.condition]) }
        guard let reason = obstacles.first ?? nil, obstacles.allSatisfy({ $0 != nil }) else { continue }
        let path: [DefinitionLocations.PathPart] = ["rules", .index(index)]
        findings.append(locations.problem(at: path + claim.path, "no event can have this value: \(reason)"))
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
    let nearest = NearestName.find(id, in: definition.steps.map(\.id)).map { ", did you mean \"\($0)\"?" }
    return "the flow has no step \(id.quoted)\(nearest ?? "")"
  }
}
