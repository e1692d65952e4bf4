extension FlowDefinition {
  /// The ID of every ad-hoc flow.
  public static let adHocFlow = "adhoc"

  /// The app of an ad-hoc flow for all apps that have none of their own. It is not a valid name, so no app has it.
  public static let anyApp = "*"

  private static let adHocWindow = TimeSpan(milliseconds: 7 * Timestamp.millisecondsPerDay)

  /// Returns an ad-hoc flow, whose steps a user lists in a query (specification section 7).
  ///
  /// It is version 1 of the flow `adhoc`, with a window of seven days. It aggregates all events of the app that
  /// enter its steps, regardless of the flow that they name.
  ///
  /// - Parameters:
  ///   - steps: The steps, at least one, without duplicates. The ID of a step is its key as written.
  ///   - definitions: The definitions of the app, which define the events that enter a step.
  public static func adHoc(app: String, steps: [EventKey], definitions: [FlowDefinition]) -> FlowDefinition {
    precondition(!steps.isEmpty && steps.count <= Limits.flowStepsMax, "an ad-hoc flow has steps")
    var flow = FlowDefinition(
      app: app, flow: adHocFlow, version: 1, title: "Ad hoc", window: adHocWindow,
      countBy: .subject,
      steps: steps.map { key in
        FlowStep(
          id: key.description, label: key.description, kind: .event(key.patterns(in: definitions)), isOptional: false)
      })
    flow.fromFlows = .all
    return flow
  }
}
