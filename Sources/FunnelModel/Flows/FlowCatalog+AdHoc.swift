extension FlowCatalog {
  /// Returns the catalog with ad-hoc flows (``FlowDefinition/adHoc(app:steps:definitions:)``), one for each app.
  ///
  /// They follow the definitions in ``definitions``, and change nothing about them: neither which events the defined flows fold, nor
  /// which properties these must have.
  public func adding(adHoc flows: [FlowDefinition]) -> FlowCatalog {
    precondition(!hasAdHocFlows && Set(flows.map(\.app)).count == flows.count, "an app has one ad-hoc flow")
    return FlowCatalog(files: files + flows.map { FlowFile(definition: $0, name: "--steps") }, adHocStart: files.count)
  }

  /// The indices of the ad-hoc flows in ``definitions``.
  public var adHocIndices: Range<Int> { adHocStart..<definitions.count }

  public var hasAdHocFlows: Bool { !adHocIndices.isEmpty }

  /// Returns the index of the ad-hoc flow that folds the events of an app: its own, or that of ``FlowDefinition/anyApp``.
  public func adHocIndex(ofApp app: String) -> Int? {
    adHocIndices.first { definitions[$0].app == app } ?? adHocIndices.first { definitions[$0].app == FlowDefinition.anyApp }
  }

  /// Returns the catalog with another app of an ad-hoc flow. Indices stay the same.
  public func naming(app: String, ofAdHocFlowAt index: Int) -> FlowCatalog {
    precondition(adHocIndices.contains(index), "only an ad-hoc flow has an app that is not known before")
    var changed = definitions
    changed[index].app = app
    return replacing(definitions: changed)
  }
}
