/// Finds probable mistakes in valid definitions: events that two flows share, conditions that no event can
/// meet, and unknown flows.
///
/// Findings are warnings. Definitions with findings are used, and `schema check --strict` lists them.
package enum FlowFindings {
  /// Returns the findings of each file, in the order of the file.
  ///
  /// - Parameters:
  ///   - files: The definitions to check. Events that two of them share are reported for the later one.
  ///   - others: The other definitions in effect, with which the files may share events.
  package static func findings(in files: [FlowFile], beside others: [FlowFile] = []) -> [[ConfigurationProblem]] {
    var shared = SharedEvents(others: others)
    let flows = (files + others).map(\.definition)
    return files.map { file in
      let locations = DefinitionLocations(of: file)
      var findings = shared.findings(in: file, locations)
      findings += ReachableEvents(of: file.definition).findings(locations)
      findings += repeatedPatterns(of: file.definition, locations)
      findings += missingSources(of: file.definition, in: flows, locations)
      return findings.inFileOrder
    }
  }

  /// Returns a problem for each event pattern of a required step that an earlier required step has too.
  private static func repeatedPatterns(
    of definition: FlowDefinition, _ locations: DefinitionLocations
  ) -> [ConfigurationProblem] {
    // One event matches only one of the steps, so a person who logs it once never reaches the later one. With `--order any` it counts for both.
    var earlier: [(pattern: EventPattern, step: String)] = []
    var problems: [ConfigurationProblem] = []
    for index in definition.requiredSteps {
      guard case .event(let patterns) = definition.steps[index].kind else { continue }
      for (number, pattern) in patterns.enumerated() {
        let same = earlier.first { known, _ in
          known.event == pattern.event
            && (known.conditions == pattern.conditions || known.conditions.isEmpty || pattern.conditions.isEmpty)
        }
        guard let same else { continue }
        problems.append(
          locations.problem(
            at: ["steps", .index(index), "entered_by", .index(number)],
            "\(pattern.event.quoted) enters \(same.step.quoted) too, but one event matches only one step: give each step an event or "
              + "a condition of its own"))
      }
      earlier += patterns.map { ($0, definition.steps[index].id) }
    }
    return problems
  }

  /// Returns a problem for each flow in `from_flows` that the app does not have.
  private static func missingSources(
    of definition: FlowDefinition, in all: [FlowDefinition], _ locations: DefinitionLocations
  ) -> [ConfigurationProblem] {
    guard case .flows(let sources) = definition.fromFlows else { return [] }
    let known = Set(all.filter { $0.app == definition.app && $0.flow != definition.flow }.map(\.flow))
    return sources.enumerated().filter { !known.contains($0.element) }.map { index, source in
      let nearest = NearestName.suggestion(for: source, in: known.sorted())
      return locations.problem(
        at: ["from_flows", .index(index)],
        "the app \(definition.app) has no flow \(source.quoted)\(nearest) check its definition together with this one")
    }
  }
}
