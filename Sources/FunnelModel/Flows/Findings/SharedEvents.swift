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
    let location = other.isBuiltIn ? "built-in" : other.name.printable
    return """
      \(phrase) declared by \(flow.app)/\(flow.flow) too (\(location)), so that both count an event without "flow": \
      rename it in one of them, or say "from_flows": [\(flow.flow.quoted)] if both should count it
      """
  }
}
