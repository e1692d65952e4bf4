/// Return flows: flows without steps that collect events of an app regardless of its flows.
///
/// The report of retention reads the times at which people return from them (specification section 7), and the page that
/// builds funnels counts their events. A return flow aggregates events whether or not another flow declares them.
extension FlowCatalog {
  /// Returns the catalog with a return flow for each app of some flow versions. These return flows are not reported. The
  /// groups of the app's other flows read the times of their events.
  ///
  /// Return flows follow the other definitions and do not affect which events those aggregate.
  ///
  /// - Parameters:
  ///   - flows: The catalog indices of the flow versions that read returns.
  ///   - query: The query, which has the names of the return events.
  /// - Precondition: The catalog has no return flows yet.
  package func addingReturnFlows(for flows: Set<Int>, _ query: ReportQuery) -> FlowCatalog {
    let byApp = Dictionary(grouping: flows.map { definitions[$0] }) { $0.app }
    let returnFlows = byApp.sorted { $0.key < $1.key }.map { app, flows in
      // Persons are resolved only if some flow of the report counts them, so a return flow must not require it.
      FlowDefinition.returns(
        ofApp: app, countBy: flows.contains { query.unit(of: $0).isOfPersons } ? .person : .subject)
    }
    return adding(returnFlows, of: Set(query.retention?.returnEvents ?? []))
  }

  /// Returns the catalog with a return flow that aggregates all events of an app by person.
  ///
  /// - Precondition: The catalog has no return flows yet.
  package func addingReturnFlow(ofApp app: String) -> FlowCatalog {
    adding([.returns(ofApp: app, countBy: .person)], of: [])
  }

  private func adding(_ returnFlows: [FlowDefinition], of events: Set<String>) -> FlowCatalog {
    precondition(returnIndices.isEmpty, "an app has one return flow")
    return FlowCatalog(
      files: files + returnFlows.map { FlowFile(definition: $0, name: "--return") }, adHocStart: adHocStart,
      returnStart: files.count, returnEvents: events)
  }

  /// The indices of the return flows in ``definitions``.
  package var returnIndices: Range<Int> { returnStart..<definitions.count }

  /// Returns the index of the return flow of an app, or that of ``FlowDefinition/anyApp``, or `nil` if there is neither.
  package func returnIndex(ofApp app: String) -> Int? {
    returnIndices.first { definitions[$0].app == app } ?? returnIndices.first { definitions[$0].app == FlowDefinition.anyApp }
  }
}

extension FlowDefinition {
  fileprivate static func returns(ofApp app: String, countBy: CountBy) -> FlowDefinition {
    FlowDefinition(
      app: app, flow: "returns", version: 1, title: "Returns", window: TimeSpan(milliseconds: 0), countBy: countBy, steps: [],
      fromFlows: .all)
  }
}
