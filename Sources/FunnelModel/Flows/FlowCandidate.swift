/// A flow that may fold an event, and its versions among which the event's build chooses (specification section 1).
public struct FlowCandidate: Sendable {
  /// The catalog indices of the versions that may be chosen, newest first.
  public let versions: [Int]
  /// Whether the event names the flow. If so, the chosen version folds the event even without declaring it.
  public let isNamed: Bool
  private let ranges: [VersionRange?]

  init(versions: [Int], ranges: [VersionRange?], isNamed: Bool) {
    precondition(!versions.isEmpty && versions.count == ranges.count, "a candidate has versions, each with its range or none")
    self.versions = versions
    self.ranges = ranges
    self.isNamed = isNamed
  }

  /// Whether the choice of the version depends on `ctx.app_version`.
  public var dependsOnAppVersion: Bool { versions.count > 1 && ranges.contains { $0 != nil } }

  /// Returns the version that folds events of a build: the newest whose `app_versions` contain the build, or else the newest of all.
  public func version(forApp version: DottedVersion?) -> Int {
    guard let version, let place = ranges.firstIndex(where: { $0?.contains(version) ?? false }) else { return versions[0] }
    return versions[place]
  }
}

extension FlowCatalog {
  /// Returns the flows that may fold events of an app, in the order of the catalog.
  ///
  /// - Parameters:
  ///   - flow: The flow the events name, or nil if they name none.
  ///   - version: The version the events name, if any. If they name a flow, it is a version of that flow only; otherwise it applies to
  ///     every flow.
  public func candidates(app: String, flow: String?, version: Int?) -> [FlowCandidate] {
    var candidates: [FlowCandidate] = []
    for candidate in flows(ofApp: app) {
      let isNamed = candidate == flow
      let all = indices(of: FlowReference(app: app, flow: candidate)).reversed()
      if !isNamed, let flow, !all.contains(where: { definitions[$0].fromFlows.contains(flow) }) { continue }
      // The version belongs to the named flow and does not apply to another flow that folds the same events.
      let asked = flow == nil || isNamed ? version : nil
      let versions = all.filter { asked == nil || definitions[$0].version == asked }
      guard !versions.isEmpty else { continue }
      candidates.append(
        FlowCandidate(versions: versions, ranges: versions.map { definitions[$0].appVersions }, isNamed: isNamed))
    }
    // An ad-hoc flow folds what it declares, whatever flow and version the events name.
    if let index = adHocIndex(ofApp: app) {
      candidates.append(FlowCandidate(versions: [index], ranges: [nil], isNamed: false))
    }
    return candidates
  }

  /// Returns whether a flow version folds an event: either the event names the flow, or the flow version declares the event, which names
  /// no flow or one that the version may fold events from.
  public func folds(_ index: Int, of candidate: FlowCandidate, flow: String?, name: String, step: String?) -> Bool {
    if candidate.isNamed { return true }
    return declares(index, name: name, step: step) && (flow.map { definitions[index].fromFlows.contains($0) } ?? true)
  }

  /// Returns the ids of an app's flows, in order.
  private func flows(ofApp app: String) -> [String] {
    var result: [String] = []
    for definition in definitions[..<adHocStart] where definition.app == app && result.last != definition.flow {
      result.append(definition.flow)
    }
    return result
  }
}
