/// Finds events that two flows of one app declare: both flows count such an event if it names no flow.
struct SharedEvents {
  private struct Flow {
    let file: FlowFile
    let vocabulary: FlowVocabulary

    init(_ file: FlowFile) {
      self.file = file
      vocabulary = FlowVocabulary(file.definition)
    }
  }

  /// A finding that has been reported, so that other versions of the flow do not repeat it.
  private struct Finding: Hashable {
    let flows: Set<String>
    let phrase: String
  }

  private var earlier: [Flow]
  private var made: Set<Finding> = []

  init(others: [FlowFile]) { earlier = others.map(Flow.init) }

  /// Returns the events that a file shares with the files passed before it.
  mutating func findings(in file: FlowFile, _ places: DefinitionLocations) -> [ConfigurationProblem] {
    defer { earlier.append(Flow(file)) }
    var findings: [ConfigurationProblem] = []
    let definition = file.definition
    for declared in DeclaredEvent.all(of: definition) {
      for other in earlier where Self.mayShareUnawares(definition, other.file.definition) {
        let shared = declared.events.filter { other.vocabulary.declares(name: $0.name, step: $0.step) }
        guard let first = shared.first else { continue }
        let phrase = shared.count == declared.events.count ? declared.phrase : "\(first.name.quoted) is"
        let finding = Finding(flows: [definition.flow, other.file.definition.flow], phrase: phrase)
        guard made.insert(finding).inserted else { continue }
        findings.append(places.problem(at: declared.path, Self.message(on: phrase, and: other.file)))
      }
    }
    return findings
  }

  /// Returns whether the flows are different flows of one app and neither lists the other in `from_flows`.
  private static func mayShareUnawares(_ a: FlowDefinition, _ b: FlowDefinition) -> Bool {
    a.app == b.app && a.flow != b.flow && !a.fromFlows.contains(b.flow) && !b.fromFlows.contains(a.flow)
  }

  private static func message(on phrase: String, and other: FlowFile) -> String {
    let flow = other.definition
    let place = other.isBuiltIn ? "built-in" : other.name.printable
    return """
      \(phrase) declared by \(flow.app)/\(flow.flow) too (\(place)), so that both count an event without "flow": \
      rename it in one of them, or say "from_flows": [\(flow.flow.quoted)] if both should count it
      """
  }
}
