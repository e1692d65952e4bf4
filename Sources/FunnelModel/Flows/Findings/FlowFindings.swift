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

/// Finds the line and column of a value in the file of a definition.
struct DefinitionLocations {
  private let source: String
  /// The parsed file, or `nil` if the definition was not read from a file.
  private let root: ConfigurationValue?

  /// One component of the path to a value.
  enum PathPart: ExpressibleByStringLiteral {
    /// The key of an object's member.
    case key(String)
    /// The index of an array's element.
    case index(Int)

    init(stringLiteral value: String) { self = .key(value) }
  }

  /// Parses the file of a definition again.
  init(of file: FlowFile) {
    source = file.name
    // The bytes are valid JSON, because the definition was read from them. A definition that was not read from
    // a file has no bytes.
    root = (try? JSONDocument(parsing: file.bytes)).map { ConfigurationValue(node: $0.root, path: "$") }
  }

  /// Returns a problem at the value at a path, or at the last value along the path that exists.
  func problem(at path: [PathPart], _ message: String) -> ConfigurationProblem {
    var value = root
    for part in path {
      guard let current = value, let next = Self.child(part, of: current) else { break }
      value = next
    }
    let position = value?.node.position ?? JSONDocument.Position(line: 1, column: 1)
    return ConfigurationProblem(source: source, position: position, path: value?.path ?? "$", message: message)
  }

  /// Returns a member or an element of a value, or `nil` if it does not exist.
  private static func child(_ part: PathPart, of value: ConfigurationValue) -> ConfigurationValue? {
    switch part {
    case .key(let key):
      return value.node[key].map { ConfigurationValue(node: $0, path: value.path(ofMember: key)) }
    case .index(let index):
      guard let elements = value.node.array, elements.indices.contains(index) else { return nil }
      return ConfigurationValue(node: elements[index], path: "\(value.path)[\(index)]")
    }
  }
}
