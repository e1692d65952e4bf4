/// A flow that an event may belong to, with the versions among which the event's build selects one (specification section 1).
package struct FlowCandidate: Sendable {
  /// The catalog indices of the versions, newest first. There is at least one.
  package let versions: [Int]
  /// Whether the event names the flow. If so, the selected version aggregates the event even if it does not declare it.
  package let isNamed: Bool
  /// The builds that each version applies to (``FlowDefinition/appVersions``), or `nil` if the version does not specify them.
  private let ranges: [VersionRange?]

  ///
  /// - Precondition: There is at least one version, and one range for each version.
  init(versions: [Int], ranges: [VersionRange?], isNamed: Bool) {
    precondition(!versions.isEmpty && versions.count == ranges.count, "a candidate has versions, each with its range or none")
    self.versions = versions
    self.ranges = ranges
    self.isNamed = isNamed
  }

  /// Whether the selected version depends on `ctx.app_version`.
  package var dependsOnAppVersion: Bool { versions.count > 1 && ranges.contains { $0 != nil } }

  /// Returns the catalog index of the version for events of a build: the newest whose `app_versions` contain
  /// the build, or the newest of all if there is none or the build is `nil`.
  package func version(forApp version: DottedVersion?) -> Int {
    guard let version, let index = ranges.firstIndex(where: { $0?.contains(version) ?? false }) else { return versions[0] }
    return versions[index]
  }
}

extension FlowCatalog {
  /// Returns the flows that events of an app may belong to, in the order of the catalog.
  ///
  /// - Parameters:
  ///   - flow: The flow that the events name, or `nil` if they name none.
  ///   - version: The version that the events name, or `nil` if they name none. With a flow, it is a version of
  ///     that flow only. Without one, it applies to every flow.
  package func candidates(app: String, flow: String?, version: Int?) -> [FlowCandidate] {
    var candidates: [FlowCandidate] = []
    for candidate in flows(ofApp: app) {
      let isNamed = candidate == flow
      let all = indices(of: FlowReference(app: app, flow: candidate)).reversed()
      if !isNamed, let flow, !all.contains(where: { definitions[$0].fromFlows.contains(flow) }) { continue }
      // The version is one of the named flow. It does not apply to other flows that aggregate the same events.
      let required = flow == nil || isNamed ? version : nil
      let versions = all.filter { required == nil || definitions[$0].version == required }
      guard !versions.isEmpty else { continue }
      candidates.append(
        FlowCandidate(versions: versions, ranges: versions.map { definitions[$0].appVersions }, isNamed: isNamed))
    }
    // An ad-hoc flow aggregates every event that it declares, regardless of the flow and version that the event names.
    if let index = adHocIndex(ofApp: app) {
      candidates.append(FlowCandidate(versions: [index], ranges: [nil], isNamed: false))
    }
    return candidates
  }

  /// Returns whether a flow version aggregates an event.
  ///
  /// It does if the event names the flow, or if the flow version declares the event and the event names no flow
  /// or one of the version's ``FlowDefinition/fromFlows``.
  package func aggregates(_ index: Int, of candidate: FlowCandidate, flow: String?, name: String, step: String?) -> Bool {
    if candidate.isNamed { return true }
    return declares(index, name: name, step: step) && (flow.map { definitions[index].fromFlows.contains($0) } ?? true)
  }

  /// Returns the IDs of an app's flows, in the order of the catalog.
  private func flows(ofApp app: String) -> [String] {
    var result: [String] = []
    for definition in definitions[..<adHocStart] where definition.app == app && result.last != definition.flow {
      result.append(definition.flow)
    }
    return result
  }
}
