import FunnelDecoding
import FunnelModel
import FunnelRendering
import FunnelReports

/// Explains a report without rows by the contents of the log, to reveal a mistyped query.
struct EmptyReport {
  var contents: LogContents
  var catalog: FlowCatalog
  /// The catalog indices of the flow versions that the query covers.
  var flows: Set<Int>
  var query: ReportQuery
  /// Whether the report is `grants`, which covers only flows with permissions.
  var isOfGrantsAlone = false
  /// Whether the report is `outcomes`, which covers only flows with outcomes.
  var isOfOutcomesAlone = false
  /// Whether the report is `access`, which covers only flows whose permissions lock features.
  var isOfAccessAlone = false

  /// The reason, as a clause, why the report cannot have rows for these flows with any log. `nil` if it can.
  var reason: String? {
    if isOfOutcomesAlone { return reason("has outcomes") { !$0.outcomes.isEmpty } }
    if isOfAccessAlone { return reason("locks features") { !$0.locks.isEmpty } }
    if isOfGrantsAlone { return reason("asks for a permission") { !$0.permissions.isEmpty } }
    return nil
  }

  /// Returns a clause if no covered flow satisfies a predicate. Flows without events do not count, unless none has events.
  private func reason(_ what: String, _ has: (FlowDefinition) -> Bool) -> String? {
    let counts = contents.countByName
    let read = flows.filter { index in counts.keys.contains { isRead($0, by: index) } }
    let asked = (read.isEmpty ? flows : read).map { catalog.definitions[$0] }
    guard !asked.isEmpty, !asked.contains(where: has) else { return nil }
    let references = Set(asked.map { "\($0.app)/\($0.flow)" })
    return references.count == 1 ? "no version of \(references.first ?? "") \(what)" : "none of these flows \(what)"
  }

  /// Sentences on the contents of the log, most important first.
  var sentences: [String] {
    guard let span = contents.span else { return ["there is no event up to \(query.now)"] }
    let counts = contents.countByName
    let ofApps = Dictionary(grouping: counts, by: \.key.app).map { (app: $0.key, names: $0.value) }
      .sorted { (total($1.names), $0.app) < (total($0.names), $1.app) }
    var lines = ofApps.prefix(Self.appsShownMax).map { sentence(about: $0.app, $0.names) }
    if ofApps.count > Self.appsShownMax {
      lines.append("and events of \(Quantity.counted(ofApps.count - Self.appsShownMax, "more app"))")
    }
    lines.append("they happened from \(span.lowerBound) to \(span.upperBound)")
    let reason =
      isOfOutcomesAlone
      ? without("has outcomes", counts) { !$0.outcomes.isEmpty }
      : isOfAccessAlone ? without("locks features", counts) { !$0.locks.isEmpty } : []
    guard reason.isEmpty else { return lines + reason }
    return lines + exclusions(span) + (isOfGrantsAlone ? withoutPermission(counts) : withoutBeginning(counts))
  }

  /// Returns a sentence if no requested flow that has events satisfies a predicate.
  private func without(
    _ what: String, _ counts: [EventTypeName: Int], _ has: (FlowDefinition) -> Bool
  ) -> [String] {
    let folded = flows.filter { index in counts.keys.contains { isRead($0, by: index) } }.map { catalog.definitions[$0] }
    return !folded.isEmpty && !folded.contains(where: has) ? ["none of these flows \(what), see 'funnel schema list'"] : []
  }

  /// Returns a sentence if no requested flow that has events asks for a permission.
  private func withoutPermission(_ counts: [EventTypeName: Int]) -> [String] {
    let folded = flows.filter { index in counts.keys.contains { isRead($0, by: index) } }.map { catalog.definitions[$0] }
    return !folded.isEmpty && folded.allSatisfy(\.permissions.isEmpty) ? ["none of these flows asks for a permission"] : []
  }

  /// The largest number of apps with a sentence of their own.
  private static let appsShownMax = 5

  private func total(_ names: [(key: EventTypeName, value: Int)]) -> Int { names.reduce(0) { $0 + $1.value } }

  /// Returns a sentence on the events of an app: their number by flow, or advice if the app has no flow definition.
  private func sentence(about app: String, _ names: [(key: EventTypeName, value: Int)]) -> String {
    // If there are too many names, only some are counted.
    let least = contents.unnamedEventCount > 0 ? "at least " : ""
    let what = "\(least)\(Quantity.counted(total(names), "event")) of app \(app.printable)"
    if let adHoc = flows.first(where: catalog.adHocIndices.contains) {
      guard catalog.definitions[adHoc].app == app else { return "\(what) (left out by --app)" }
      let count = total(names.filter { isRead($0.key, by: adHoc) })
      return "\(what), \(count == 0 ? "none" : Quantity.count(count)) of them named by --steps"
    }
    let definitions = catalog.definitions(ofApp: app)
    guard !definitions.isEmpty else {
      let meant = NearestName.find(app, in: Set(catalog.suggestions.map(\.app)).sorted()).map {
        ", or did you mean the app \($0)?"
      }
      return "\(what), which has no flow definition: give one with --schemas\(meant ?? "")"
    }
    var parts: [String] = []
    for flow in Set(definitions.map(\.flow)).sorted() {
      let versions = catalog.definitions.indices.filter {
        catalog.definitions[$0].app == app && catalog.definitions[$0].flow == flow
      }
      let count = total(names.filter { name in versions.contains { isRead(name.key, by: $0) } })
      guard count > 0 else { continue }
      let isAskedFor = versions.contains(where: flows.contains)
      parts.append("\(Quantity.count(count)) of \(flow)\(isAskedFor ? "" : " (left out by --flow)")")
    }
    guard !parts.isEmpty else {
      return
        "\(what), none of them declared by its flows: 'funnel ingest --dry-run' suggests the names that were probably meant"
    }
    let unclaimed = total(names.filter { name in !catalog.definitions.indices.contains { isRead(name.key, by: $0) } })
    if unclaimed > 0 { parts.append("\(Quantity.count(unclaimed)) that no flow declares") }
    return "\(what): \(parts.joined(separator: ", "))"
  }

  /// Returns sentences on why the requested period contains no event.
  private func exclusions(_ span: ClosedRange<Timestamp>) -> [String] {
    var lines: [String] = []
    if let since = query.since, since > span.upperBound { lines.append("--since \(since) is after the last event") }
    if let until = query.until, until <= span.lowerBound { lines.append("--until \(until) is not after the first event") }
    if query.now < span.lowerBound { lines.append("--now \(query.now) is before the first event") }
    return lines
  }

  /// Returns a sentence for each requested flow that has events but none that enters its first required step.
  private func withoutBeginning(_ counts: [EventTypeName: Int]) -> [String] {
    guard query.order != .any else { return [] }
    return flows.sorted().compactMap { index in
      let definition = catalog.definitions[index]
      let names = counts.keys.filter { isRead($0, by: index) }
      guard let first = definition.requiredSteps.first.map({ definition.steps[$0] }), !names.isEmpty,
        !names.contains(where: { enters(first, $0, of: definition) })
      else { return nil }
      return "no event of \(definition.reference) enters its first step, \(first.id.printable)"
    }
  }

  /// Whether events of a name may belong to a flow version.
  private func isRead(_ name: EventTypeName, by index: Int) -> Bool {
    let definition = catalog.definitions[index]
    guard definition.app == name.app else { return false }
    if catalog.adHocIndices.contains(index) { return catalog.declares(index, name: name.name, step: name.step) }
    if let version = name.flowVersion, version != definition.version { return false }
    if name.flow == definition.flow { return true }
    let isOpen = name.flow.map(definition.fromFlows.contains) ?? true
    return isOpen && catalog.declares(index, name: name.name, step: name.step)
  }

  /// Whether events of a name may enter a step. An event that an upcast translates may become any event.
  private func enters(_ step: FlowStep, _ name: EventTypeName, of definition: FlowDefinition) -> Bool {
    if definition.upcasts.contains(where: { $0.from == name.name }) { return true }
    switch step.kind {
    case .screen: return name.name == "step_viewed" && name.step == step.id
    case .permission(let permission):
      return name.name == PermissionEventName.name(.prePromptShown, of: permission)
    case .event(let patterns): return patterns.contains { $0.event == name.name }
    }
  }
}
