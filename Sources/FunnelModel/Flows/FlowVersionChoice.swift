/// The choice of a flow's version for an event, by the build that logged the event (specification section 1).
package struct FlowVersionChoice: Sendable {
  /// A version that may be chosen.
  struct Option: Sendable {
    /// The index of the version in the catalog.
    let index: Int
    /// The builds that the version applies to (``FlowDefinition/appVersions``), or `nil` if it does not specify them.
    let builds: VersionRange?
  }

  /// Whether the event names the flow. If so, the chosen version aggregates the event even if it does not declare it.
  package let isNamed: Bool
  private let newest: Option
  /// The versions before ``newest``, newest first.
  private let older: [Option]

  /// Creates a choice among versions, newest first. Returns `nil` if there are none.
  init?(_ options: some Sequence<Option>, isNamed: Bool) {
    var options = Array(options)[...]
    guard let newest = options.popFirst() else { return nil }
    self.newest = newest
    older = Array(options)
    self.isNamed = isNamed
  }

  /// Whether the choice depends on `ctx.app_version`.
  package var dependsOnAppVersion: Bool { !older.isEmpty && ([newest] + older).contains { $0.builds != nil } }

  /// The catalog indices of the versions that some build chooses, newest first. There is at least one.
  package var versions: [Int] { dependsOnAppVersion ? [newest.index] + older.map(\.index) : [newest.index] }

  /// Returns the catalog index of the version for events of a build: the newest whose `app_versions` contain
  /// the build, or the newest of all if there is none or the build is `nil`.
  package func version(forApp build: DottedVersion?) -> Int {
    guard let build, newest.builds?.contains(build) != true else { return newest.index }
    return (older.first { $0.builds?.contains(build) == true } ?? newest).index
  }
}

extension FlowCatalog {
  /// Returns the choices of a version for each flow that events of an app may belong to, in the order of the catalog.
  ///
  /// - Parameters:
  ///   - flow: The flow that the events name, or `nil` if they name none.
  ///   - version: The version that the events name, or `nil` if they name none. With a flow, it is a version of
  ///     that flow only. Without one, it applies to every flow.
  package func versionChoices(app: String, flow: String?, version: Int?) -> [FlowVersionChoice] {
    var choices = flows(ofApp: app).compactMap { candidate -> FlowVersionChoice? in
      let isNamed = candidate == flow
      let all = indices(of: FlowReference(app: app, flow: candidate)).reversed()
      if !isNamed, let flow, !all.contains(where: { definitions[$0].fromFlows.contains(flow) }) { return nil }
      // The version is one of the named flow. It does not apply to other flows that aggregate the same events.
      let required = flow == nil || isNamed ? version : nil
      let versions = all.filter { required == nil || definitions[$0].version == required }
      return FlowVersionChoice(versions.map { .init(index: $0, builds: definitions[$0].appVersions) }, isNamed: isNamed)
    }
    // An ad-hoc flow aggregates every event that it declares, regardless of the flow and version that the event names.
    if let index = adHocIndex(ofApp: app), let adHoc = FlowVersionChoice([.init(index: index, builds: nil)], isNamed: false) {
      choices.append(adHoc)
    }
    if let index = returnIndex(ofApp: app), let returns = FlowVersionChoice([.init(index: index, builds: nil)], isNamed: false)
    {
      choices.append(returns)
    }
    return choices
  }

  /// Returns whether a flow version aggregates an event.
  ///
  /// It does if the event names the flow, or if the flow version declares the event and the event names no flow
  /// or one of the version's ``FlowDefinition/fromFlows``. A return flow aggregates the return events of its app.
  ///
  /// - Parameters:
  ///   - index: The index of the version in the catalog.
  ///   - choice: The choice that the version is part of.
  package func aggregates(_ index: Int, of choice: FlowVersionChoice, flow: String?, name: String, step: String?) -> Bool {
    if choice.isNamed { return true }
    if returnIndices.contains(index) { return returnEvents.isEmpty || returnEvents.contains(name) }
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
