/// Finds events that two flows of one app declare. Both flows aggregate such an event if it names no flow.
struct SharedEvents {
  /// A definition and the events that it declares.
  private struct Flow {
    let file: FlowFile
    let vocabulary: FlowVocabulary

    init(_ file: FlowFile) {
      self.file = file
      vocabulary = FlowVocabulary(file.definition)
    }
  }

  /// The identity of a finding, which does not depend on the versions of the flows.
  private struct Finding: Hashable {
    let flows: Set<String>
    let phrase: String
  }

  /// The definitions so far.
  private var earlier: [Flow]
  /// The findings so far. Other versions of the flows do not repeat them.
  private var reported: Set<Finding> = []

  /// Creates a search that compares files with other definitions.
  init(others: [FlowFile]) { earlier = others.map(Flow.init) }

  /// Returns a finding for each declaration whose events an earlier definition declares too.
  mutating func findings(in file: FlowFile, _ locations: DefinitionLocations) -> [ConfigurationProblem] {
    defer { earlier.append(Flow(file)) }
    var findings: [ConfigurationProblem] = []
    let definition = file.definition
    for declared in DeclaredEvent.all(of: definition) {
      for other in earlier where Self.mayShareByMistake(definition, other.file.definition) {
        let shared = declared.events.filter { other.vocabulary.declares(name: $0.name, step: $0.step) }
        guard let first = shared.first else { continue }
        let phrase = shared.count == declared.events.count ? declared.phrase : "\(first.name.quoted) is"
        let finding = Finding(flows: [definition.flow, other.file.definition.flow], phrase: phrase)
        guard reported.insert(finding).inserted else { continue }
        findings.append(locations.problem(at: declared.path, Self.message(on: phrase, and: other.file)))
      }
    }
    return findings
  }

  /// Returns whether the flows are different flows of one app and neither lists the other in `from_flows`.
  private static func mayShareByMistake(_ a: FlowDefinition, _ b: FlowDefinition) -> Bool {
    a.app == b.app && a.flow != b.flow && !a.fromFlows.contains(b.flow) && !b.fromFlows.contains(a.flow)
  }

  private static func message(on phrase: String, and other: FlowFile) -> String {
    let flow = other.definition
    let location = other.origin == .builtIn ? "built-in" : other.name.printable
    return """
      \(phrase) declared by \(flow.app)/\(flow.flow) too (\(location)), so that both count an event without "flow": \
      rename it in one of them, or say "from_flows": [\(flow.flow.quoted)] if both should count it
      """
  }
}

/// The events that one declaration in a definition declares, with its location in the file.
struct DeclaredEvent {
  /// The start of a sentence about the events: `"note_created" is`, `the step_* events of "welcome" are`.
  let phrase: String
  /// The events, at least one, each with the step ID that it must have, or `nil` for any.
  let events: [(name: String, step: String?)]
  /// The path to the declaration in the file.
  let path: [DefinitionLocations.PathPart]

  /// Returns the declarations of a definition, in no particular order.
  static func all(of definition: FlowDefinition) -> [DeclaredEvent] {
    var result: [DeclaredEvent] = []
    for (index, step) in definition.steps.enumerated() {
      let path: [DefinitionLocations.PathPart] = ["steps", .index(index)]
      let stepEvents = DeclaredEvent(
        phrase: "the step_* events of \(step.id.quoted) are", events: [(StepEventName.viewed.rawValue, step.id)],
        path: path + ["id"])
      result.append(stepEvents)
      switch step.kind {
      case .screen: break
      case .permission(let permission): result.append(of(permission, path: path + ["permission"]))
      case .event(let patterns):
        for (index, pattern) in patterns.enumerated() {
          result.append(of(pattern, path: path + ["entered_by", .index(index)]))
        }
      }
      for (index, permission) in step.asks.enumerated() { result.append(of(permission, path: path + ["asks", .index(index)])) }
    }
    for event in definition.events { result.append(named(event.name, path: ["events", .key(event.name)])) }
    for outcome in definition.outcomes {
      for (index, name) in outcome.events.enumerated() {
        result.append(named(name, path: ["outcomes", .key(outcome.name), "events", .index(index)]))
      }
    }
    for (index, exclusion) in definition.exclusions.enumerated() {
      result.append(named(exclusion.event, path: ["exclude", .index(index), "event"]))
    }
    for (index, upcast) in definition.upcasts.enumerated() {
      result.append(named(upcast.from, path: ["upcasts", .index(index), "from"]))
    }
    return result
  }

  private static func named(_ name: String, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    DeclaredEvent(phrase: "\(name.quoted) is", events: [(name, nil)], path: path)
  }

  private static func of(_ permission: String, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    let names = PermissionEventName.Suffix.allCases.map { PermissionEventName.name($0, of: permission) }
    return DeclaredEvent(
      phrase: "the events of permission \(permission.quoted) are", events: names.map { ($0, nil) }, path: path)
  }

  private static func of(_ pattern: EventPattern, path: [DefinitionLocations.PathPart]) -> DeclaredEvent {
    guard case .string(let step)? = pattern.conditions.first(where: { $0.field == .step })?.value else {
      return named(pattern.event, path: path)
    }
    return DeclaredEvent(
      phrase: "\(pattern.event.quoted) of step \(step.quoted) is", events: [(pattern.event, step)], path: path)
  }
}
