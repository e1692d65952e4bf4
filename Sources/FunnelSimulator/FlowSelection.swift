import FunnelModel

/// The flows to simulate, and their versions.
struct FlowSelection {
  /// The selected versions of each known flow: bit v - 1 is set if version v is selected.
  private var versions: [UInt8]
  /// The selected flow versions that are simulated from their definitions.
  let declared: DeclaredFlows

  /// Creates a selection from references such as `clarity/onboarding@2`, `cleaner/permissions_flow` or `all`. Several references to
  /// one flow select all the versions they name.
  ///
  /// - Parameter definitions: Flow versions that can be selected besides the known ones, or instead of those they replace.
  /// - Throws: ``FunnelError`` with code `usage` if there is no reference, or if one is malformed or names an unknown flow or version;
  ///   with code `configuration` if a definition can't be simulated.
  init(references: [String], definitions: [FlowDefinition] = []) throws(FunnelError) {
    var choice = Choice(definitions)
    guard !references.isEmpty else {
      throw FunnelError(.usage, "no flow to simulate, name one with --flow: \(choice.names)")
    }
    for reference in references { try choice.insert(reference) }
    versions = choice.versions
    let selected = choice.selected
    declared = try DeclaredFlows(definitions.indices.filter { selected[$0] }.map { definitions[$0] })
  }

  /// Returns the selected versions of a known flow in ascending order; the result is empty if the flow is not selected.
  func versions(of flow: SimulatedFlow) -> [Int] {
    (1...flow.versionCount).filter { versions[Int(flow.rawValue)] >> ($0 - 1) & 1 == 1 }
  }

  /// Returns whether any version of a known flow is selected.
  func contains(_ flow: SimulatedFlow) -> Bool { versions[Int(flow.rawValue)] != 0 }

  /// The apps with at least one selected flow.
  var apps: [SimulatedApp] {
    SimulatedApp.known.filter { app in SimulatedFlow.allCases.contains { $0.app == app && contains($0) } }
      + declared.apps.indices.map { .declared(UInt16($0)) }
  }

  /// The flows that can be selected, and those that are.
  private struct Choice {
    private let definitions: [FlowDefinition]
    private(set) var versions = Array(repeating: UInt8(0), count: SimulatedFlow.allCases.count)
    private(set) var selected: [Bool]

    init(_ definitions: [FlowDefinition]) {
      self.definitions = definitions
      selected = Array(repeating: false, count: definitions.count)
    }

    mutating func insert(_ text: String) throws(FunnelError) {
      guard text != "all" else {
        for flow in SimulatedFlow.allCases { versions[Int(flow.rawValue)] = available(flow) }
        for index in selected.indices { selected[index] = true }
        return
      }
      guard let reference = FlowReference(text) else {
        throw FunnelError(.usage, "--flow \(text.printable): write it as APP/FLOW or APP/FLOW@VERSION; \(hint(for: text))")
      }
      let ofFlow = definitions.indices.filter {
        definitions[$0].app == reference.app && definitions[$0].flow == reference.flow
      }
      let known = SimulatedFlow.allCases.first { $0.appName == reference.app && $0.name == reference.flow }
      guard known != nil || !ofFlow.isEmpty else {
        throw FunnelError(
          .usage, "--flow \(text.printable): no such flow; \(hint(for: "\(reference.app)/\(reference.flow)"))")
      }
      let wanted = reference.version
      var found = known.map { $0.set(of: wanted) & available($0) } ?? 0
      known.map { versions[Int($0.rawValue)] |= found }
      for index in ofFlow where wanted == nil || wanted == definitions[index].version {
        selected[index] = true
        found |= 1
      }
      if found == 0, let wanted {
        let all = Set((known.map { Array(1...$0.versionCount) } ?? []) + ofFlow.map { definitions[$0].version })
        let names = all.sorted().map { "@\($0)" }.joined(separator: " or ")
        throw FunnelError(.usage, "--flow \(text.printable): there is no version \(wanted), use \(names) or leave it out")
      }
    }

    /// Returns the versions of a known flow that no definition replaces.
    private func available(_ flow: SimulatedFlow) -> UInt8 {
      definitions.reduce(flow.allVersions) { versions, definition in
        definition.app == flow.appName && definition.flow == flow.name ? versions & ~flow.set(of: definition.version) : versions
      }
    }

    /// The names of all flows, and `all`.
    private var candidates: [String] {
      var names = SimulatedFlow.allCases.map(\.reference)
      for definition in definitions {
        let name = "\(definition.app)/\(definition.flow)"
        if !names.contains(name) { names.append(name) }
      }
      return names + ["all"]
    }

    var names: String { candidates.joined(separator: ", ") }

    private func hint(for text: String) -> String {
      let nearest = NearestName.find(text, in: candidates)
      return "\(nearest.map { "did you mean \($0)? " } ?? "")The flows are \(names)"
    }
  }
}

extension SimulatedFlow {
  /// Returns the set of one version, which is empty if the flow does not have it, or of all versions if nil is given.
  fileprivate func set(of version: Int?) -> UInt8 {
    guard let version else { return allVersions }
    return (1...versionCount).contains(version) ? 1 << UInt8(version - 1) : 0
  }
}
