extension FlowDefinition {
  /// The id of the flow that a report makes of the steps it is given.
  public static let adHocFlow = "adhoc"

  /// The app of an ad-hoc flow that is of every app which no other definition of its catalog is of. No app has this name.
  public static let anyApp = "*"

  /// Returns the flow of steps that a user names (specification section 7): version 1 of `adhoc`, of all events of the app that the steps
  /// mean, whatever flow they name, with a window of seven days.
  ///
  /// - Parameters:
  ///   - steps: The steps, at least one, each once. Their ids are the keys as they were written.
  ///   - definitions: The definitions of the app, which say what enters a step.
  public static func adHoc(app: String, steps: [EventKey], definitions: [FlowDefinition]) -> FlowDefinition {
    precondition(!steps.isEmpty && steps.count <= Limits.flowStepsMax, "an ad-hoc flow has steps")
    var flow = FlowDefinition(
      app: app, flow: adHocFlow, version: 1, title: "Ad hoc", window: TimeSpan(milliseconds: 7 * Timestamp.millisecondsPerDay),
      countBy: .subject,
      steps: steps.map { key in
        FlowStep(
          id: key.description, label: key.description, kind: .event(key.patterns(in: definitions)), isOptional: false)
      })
    flow.fromFlows = .all
    return flow
  }
}
