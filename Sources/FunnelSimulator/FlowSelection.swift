import FunnelModel

/// The flows to simulate, and their versions.
struct FlowSelection {
  /// The selected versions by flow: bit v - 1 is set if version v is selected.
  private var versions: [UInt8]

  /// Creates a selection from references such as `clarity/onboarding@2`, `cleaner/permissions_flow` or `all`. Several references to
  /// one flow select all the versions they name.
  ///
  /// - Throws: ``FunnelError`` with code `usage` if there is no reference, or if one is malformed or names an unknown flow or
  ///   version.
  init(references: [String]) throws(FunnelError) {
    versions = Array(repeating: 0, count: SimulatedFlow.allCases.count)
    guard !references.isEmpty else {
      throw FunnelError(.usage, "no flow to simulate, name one with --flow: \(Self.choices)")
    }
    for reference in references { try insert(reference) }
  }

  /// Returns the selected versions of a flow in ascending order; the result is empty if the flow is not selected.
  func versions(of flow: SimulatedFlow) -> [Int] {
    (1...flow.versionCount).filter { versions[Int(flow.rawValue)] >> ($0 - 1) & 1 == 1 }
  }

  /// Returns whether any version of a flow is selected.
  func contains(_ flow: SimulatedFlow) -> Bool { versions[Int(flow.rawValue)] != 0 }

  /// The apps with at least one selected flow.
  var apps: [SimulatedApp] {
    SimulatedApp.allCases.filter { app in SimulatedFlow.allCases.contains { $0.app == app && contains($0) } }
  }

  private mutating func insert(_ text: String) throws(FunnelError) {
    guard text != "all" else {
      for flow in SimulatedFlow.allCases { versions[Int(flow.rawValue)] = flow.allVersions }
      return
    }
    guard let reference = FlowReference(text) else {
      throw FunnelError(.usage, "--flow \(text.printable): write it as APP/FLOW or APP/FLOW@VERSION; \(Self.hint(for: text))")
    }
    guard let flow = SimulatedFlow.allCases.first(where: { $0.app.name == reference.app && $0.name == reference.flow }) else {
      throw FunnelError(
        .usage, "--flow \(text.printable): no such flow; \(Self.hint(for: "\(reference.app)/\(reference.flow)"))")
    }
    guard let version = reference.version else {
      versions[Int(flow.rawValue)] = flow.allVersions
      return
    }
    guard version <= flow.versionCount else {
      let known = (1...flow.versionCount).map { "@\($0)" }.joined(separator: " or ")
      throw FunnelError(.usage, "--flow \(text.printable): there is no version \(version), use \(known) or leave it out")
    }
    versions[Int(flow.rawValue)] |= 1 << UInt8(version - 1)
  }

  private static let choices = (SimulatedFlow.allCases.map(\.reference) + ["all"]).joined(separator: ", ")

  private static func hint(for text: String) -> String {
    let nearest = NearestName.find(text, in: SimulatedFlow.allCases.map(\.reference) + ["all"])
    return "\(nearest.map { "did you mean \($0)? " } ?? "")Known are \(choices)"
  }
}
