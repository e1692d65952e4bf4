extension FlowCatalog {
  /// Returns the catalog with ad-hoc flows added (``FlowDefinition/adHoc(app:steps:definitions:)``).
  ///
  /// They follow the other definitions and do not affect which events those aggregate or how they validate properties.
  ///
  /// - Precondition: There is at most one ad-hoc flow per app, and the catalog has none yet.
  public func adding(adHoc flows: [FlowDefinition]) -> FlowCatalog {
    precondition(!hasAdHocFlows && Set(flows.map(\.app)).count == flows.count, "an app has one ad-hoc flow")
    return FlowCatalog(files: files + flows.map { FlowFile(definition: $0, name: "--steps") }, adHocStart: files.count)
  }

  /// The indices of the ad-hoc flows in ``definitions``.
  public var adHocIndices: Range<Int> { adHocStart..<definitions.count }

  /// Whether there is an ad-hoc flow.
  public var hasAdHocFlows: Bool { !adHocIndices.isEmpty }

  /// Returns the index of the ad-hoc flow of an app, or that of ``FlowDefinition/anyApp``, or `nil` if there is neither.
  public func adHocIndex(ofApp app: String) -> Int? {
    adHocIndices.first { definitions[$0].app == app } ?? adHocIndices.first { definitions[$0].app == FlowDefinition.anyApp }
  }

  /// Returns the catalog with a new app for an ad-hoc flow. Indices stay the same.
  ///
  /// - Precondition: The index is in ``adHocIndices``.
  public func naming(app: String, ofAdHocFlowAt index: Int) -> FlowCatalog {
    precondition(adHocIndices.contains(index), "only an ad-hoc flow has an app that is not known before")
    var changed = definitions
    changed[index].app = app
    return replacing(definitions: changed)
  }
}
