extension FlowDefinition {
  /// The ID of every ad-hoc flow.
  package static let adHocFlow = "adhoc"

  /// The app of an ad-hoc flow for all apps that have none of their own. It is not a valid name, so no app has it.
  package static let anyApp = "*"

  private static let adHocWindow = TimeSpan(milliseconds: 7 * Timestamp.millisecondsPerDay)

  /// Returns an ad-hoc flow, whose steps a user lists in a query (specification section 7).
  ///
  /// It is version 1 of the flow `adhoc`, with a window of seven days. It aggregates all events of the app that
  /// enter its steps, regardless of the flow that they name.
  ///
  /// - Parameters:
  ///   - steps: The steps, at least one, without duplicates. The ID of a step is its key as written.
  ///   - definitions: The definitions of the app, which define the events that enter a step.
  package static func adHoc(app: String, steps: [EventKey], definitions: [FlowDefinition]) -> FlowDefinition {
    precondition(!steps.isEmpty && steps.count <= Limits.flowStepsMax, "an ad-hoc flow has steps")
    return FlowDefinition(
      app: app, flow: adHocFlow, version: 1, title: "Ad hoc", window: adHocWindow, countBy: .person,
      steps: steps.map { key in
        FlowStep(
          id: key.description, label: key.description, kind: .event(key.patterns(in: definitions)), isOptional: false)
      },
      fromFlows: .all)
  }
}

extension FlowCatalog {
  /// Returns the catalog with ad-hoc flows added (``FlowDefinition/adHoc(app:steps:definitions:)``).
  ///
  /// They follow the other definitions and do not affect which events those aggregate or how they validate properties.
  ///
  /// - Precondition: There is at most one ad-hoc flow per app, and the catalog has none yet.
  package func adding(adHoc flows: [FlowDefinition]) -> FlowCatalog {
    precondition(!hasAdHocFlows && Set(flows.map(\.app)).count == flows.count, "an app has one ad-hoc flow")
    return FlowCatalog(files: files + flows.map { FlowFile(definition: $0, name: "--steps") }, adHocStart: files.count)
  }

  /// The indices of the ad-hoc flows in ``definitions``.
  package var adHocIndices: Range<Int> { adHocStart..<returnStart }

  /// Whether there is an ad-hoc flow.
  package var hasAdHocFlows: Bool { !adHocIndices.isEmpty }

  /// Returns the index of the ad-hoc flow of an app, or that of ``FlowDefinition/anyApp``, or `nil` if there is neither.
  package func adHocIndex(ofApp app: String) -> Int? {
    adHocIndices.first { definitions[$0].app == app } ?? adHocIndices.first { definitions[$0].app == FlowDefinition.anyApp }
  }

  /// Returns the catalog with a new app for an ad-hoc flow. Indices stay the same.
  ///
  /// - Precondition: The index is in ``adHocIndices``.
  package func naming(app: String, ofAdHocFlowAt index: Int) -> FlowCatalog {
    precondition(adHocIndices.contains(index), "only an ad-hoc flow has an app that is not known before")
    var changed = definitions
    changed[index].app = app
    return replacing(definitions: changed)
  }
}
