package import FunnelModel

/// The flow versions that a report covers: defined flows, or an ad-hoc flow with the steps of the query (`--steps`).
///
/// Without `--app`, the app of an ad-hoc flow is known only after the log has been read, and standard input can
/// be read only once. The log is therefore read with one ad-hoc flow for each app, and ``resolved(among:)`` then selects one.
package struct ReportFlows {
  /// The definitions in effect, with any ad-hoc flows.
  package private(set) var catalog: FlowCatalog
  /// The indices of the flow versions in the catalog.
  package private(set) var indices: Set<Int>
  /// The indices of the flow versions whose events are read: ``indices``, and the return flows of the retention report.
  package var indicesToRead: Set<Int> { indices.union(catalog.returnIndices) }

  /// The definitions of the flow versions, in the order of the catalog.
  package var definitions: [FlowDefinition] { indices.sorted().map { catalog.definitions[$0] } }

  /// Creates the flow versions of a report.
  ///
  /// - Parameters:
  ///   - known: The definitions in effect.
  ///   - flows: The values of `--flow`.
  ///   - app: The app of an ad-hoc flow, or `nil` to derive it from the log.
  /// - Throws: `usage` if a flow does not exist, if both flows and steps are given, or if there are too many exclusions.
  package init(of query: ReportQuery, in known: FlowCatalog, flows: [String], app: String?) throws(FunnelError) {
    if let app = query.eventsOfApp {
      catalog = known.addingReturnFlow(ofApp: app)
      indices = Set(catalog.returnIndices)
      return
    }
    if query.steps.isEmpty {
      catalog = known
      indices = try known.indices(ofFlows: flows)
    } else {
      if let flow = flows.first {
        throw FunnelError(
          .usage, "both --steps and --flow \(flow.printable), give one of them; --app names the app of the steps")
      }
      let apps = try AppName.checked(app).map { [$0] } ?? [FlowDefinition.anyApp] + Set(known.definitions.map(\.app)).sorted()
      catalog = known.adding(
        adHoc: apps.map { .adHoc(app: $0, steps: query.steps, definitions: known.definitions(ofApp: $0)) })
      indices = Set(catalog.adHocIndices)
    }
    catalog = try catalog.excluding(query.exclusions, from: indices)
    if query.retention != nil { catalog = catalog.addingReturnFlows(for: indices, query) }
  }

  /// Returns the flow versions after the log has been read, with at most one ad-hoc flow.
  ///
  /// - Parameter apps: The apps of all events.
  /// - Throws: `usage` if the app of an ad-hoc flow was not given and the log has events of several apps.
  package func resolved(among apps: @autoclosure () -> Set<String>) throws(FunnelError) -> ReportFlows {
    guard catalog.adHocIndex(ofApp: FlowDefinition.anyApp) != nil else { return self }
    let apps = apps().sorted()
    var result = self
    result.indices = []
    guard let app = apps.first, let index = catalog.adHocIndex(ofApp: app) else { return result }
    guard apps.count == 1 else {
      let shown = apps.prefix(Self.appsShownMax).map(\.printable).joined(separator: ", ")
      let more = apps.count > Self.appsShownMax ? " and \(Quantity.count(apps.count - Self.appsShownMax)) more" : ""
      throw FunnelError(.usage, "there are events of several apps, \(shown)\(more), say with --app which one --steps is about")
    }
    result.catalog = catalog.naming(app: app, ofAdHocFlowAt: index)
    result.indices = [index]
    return result
  }

  /// The largest number of apps that an error lists.
  private static let appsShownMax = 5
}
