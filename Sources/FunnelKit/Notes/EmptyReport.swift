import FunnelDecoding
import FunnelModel
import FunnelReports

/// Explains a report without rows by the contents of the log, to reveal a mistyped query.
struct EmptyReport {
  /// The flows of a report that has rows only for some flows.
  enum Subject {
    /// The subject of `grants`.
    case flowsWithPermissions
    /// The subject of `outcomes`.
    case flowsWithOutcomes
    /// The subject of `access`.
    case flowsThatLockFeatures

    /// Creates the subject of a report. Returns `nil` if the report has rows for all flows.
    init?(of report: FunnelReports.Report) {
      if report.consists(of: GrantsReport.self) {
        self = .flowsWithPermissions
      } else if report.consists(of: OutcomesReport.self) {
        self = .flowsWithOutcomes
      } else if report.consists(of: AccessReport.self) {
        self = .flowsThatLockFeatures
      } else {
        return nil
      }
    }

    /// The property of a flow of the subject, as the end of a sentence.
    fileprivate var clause: String {
      switch self {
      case .flowsWithPermissions: "asks for a permission"
      case .flowsWithOutcomes: "has outcomes"
      case .flowsThatLockFeatures: "locks features"
      }
    }

    fileprivate func includes(_ flow: FlowDefinition) -> Bool {
      switch self {
      case .flowsWithPermissions: !flow.permissions.isEmpty
      case .flowsWithOutcomes: !flow.outcomes.isEmpty
      case .flowsThatLockFeatures: !flow.locks.isEmpty
      }
    }
  }

  private let contents: LogContents
  private let catalog: FlowCatalog
  /// The catalog indices of the flow versions that the query covers.
  private let flows: Set<Int>
  /// Those of ``flows`` that have events.
  private let flowsWithEvents: Set<Int>
  private let query: ReportQuery
  /// The flows that the report has rows for, or `nil` for all.
  private let subject: Subject?
  /// The only app to describe, or `nil` for all.
  private let app: String?

  init(contents: LogContents, flows: ReportFlows, query: ReportQuery, subject: Subject?, app: String? = nil) {
    self.app = app
    self.contents = contents
    self.query = query
    self.subject = subject
    catalog = flows.catalog
    self.flows = flows.indices
    flowsWithEvents = flows.indices.filter { index in
      contents.countByName.keys.contains { flows.catalog.mayDeclare(index, $0) }
    }
  }

  /// The reason, as a clause, why the report cannot have rows for these flows with any log. `nil` if it can.
  ///
  /// Flows without events do not count, unless none has events.
  var reason: String? {
    let covered = (flowsWithEvents.isEmpty ? flows : flowsWithEvents).map { catalog.definitions[$0] }
    guard let subject, !covered.isEmpty, !covered.contains(where: subject.includes) else { return nil }
    let references = Set(covered.map { "\($0.app)/\($0.flow)" })
    return references.count == 1
      ? "no version of \(references.first ?? "") \(subject.clause)" : "none of these flows \(subject.clause)"
  }

  /// Sentences on the contents of the log, most important first.
  var sentences: [String] {
    guard let span = contents.span else { return ["there is no event up to \(query.now)"] }
    let counted = contents.countByName.filter { app == nil || $0.key.app == app }
    let ofApps = Dictionary(grouping: counted, by: \.key.app).map { (app: $0.key, names: $0.value) }
      .sorted { (total($1.names), $0.app) < (total($0.names), $1.app) }
    var lines = ofApps.prefix(Self.appsShownMax).map { sentence(about: $0.app, $0.names) }
    if ofApps.count > Self.appsShownMax {
      lines.append("and events of \(Quantity.counted(ofApps.count - Self.appsShownMax, "more app"))")
    }
    // The span is that of all apps.
    lines.append("\(app == nil ? "they happened" : "the log is") from \(span.lowerBound) to \(span.upperBound)")
    switch subject {
    case .flowsWithPermissions?: return lines + exclusions(span) + (outsideSubject.map { [$0] } ?? [])
    case .flowsWithOutcomes?, .flowsThatLockFeatures?:
      // No other period has rows either.
      if let outsideSubject { return lines + ["\(outsideSubject), see 'funnel schema list'"] }
      return lines + exclusions(span) + withoutBeginning
    case nil: return lines + exclusions(span) + withoutBeginning
    }
  }

  /// A sentence if the requested flows have events, but none of them belongs to the subject.
  private var outsideSubject: String? {
    guard let subject, !flowsWithEvents.isEmpty,
      !flowsWithEvents.contains(where: { subject.includes(catalog.definitions[$0]) })
    else { return nil }
    return "none of these flows \(subject.clause)"
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
      let count = total(names.filter { catalog.mayDeclare(adHoc, $0.key) })
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
      let count = total(names.filter { name in versions.contains { catalog.mayDeclare($0, name.key) } })
      guard count > 0 else { continue }
      let isAskedFor = versions.contains(where: flows.contains)
      parts.append("\(Quantity.count(count)) of \(flow)\(isAskedFor ? "" : " (left out by --flow)")")
    }
    guard !parts.isEmpty else {
      return
        "\(what), none of them declared by its flows: 'funnel ingest --dry-run' suggests the names that were probably meant"
    }
    let unclaimed = total(
      names.filter { name in
        name.key.name != UserLinkEvent.name && !catalog.definitions.indices.contains { catalog.mayDeclare($0, name.key) }
      })
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

  /// A sentence for each requested flow that has events but none that enters its first required step.
  private var withoutBeginning: [String] {
    guard query.order != .any else { return [] }
    return flowsWithEvents.sorted().compactMap { index in
      let definition = catalog.definitions[index]
      let names = contents.countByName.keys.filter { catalog.mayDeclare(index, $0) }
      guard let first = definition.requiredSteps.first.map({ definition.steps[$0] }),
        !names.contains(where: { definition.mayEnter(first, $0) })
      else { return nil }
      return "no event of \(definition.reference) enters its first step, \(first.id.printable)"
    }
  }
}

extension FlowCatalog {
  /// Whether events of a name may belong to the flow version at an index.
  fileprivate func mayDeclare(_ index: Int, _ name: EventTypeName) -> Bool {
    let definition = definitions[index]
    guard definition.app == name.app else { return false }
    if adHocIndices.contains(index) { return declares(index, name: name.name, step: name.step) }
    if let version = name.flowVersion, version != definition.version { return false }
    if name.flow == definition.flow { return true }
    let isOpen = name.flow.map(definition.fromFlows.contains) ?? true
    return isOpen && declares(index, name: name.name, step: name.step)
  }
}

extension FlowDefinition {
  /// Whether events of a name may enter a step. An event that an upcast translates may become any event.
  fileprivate func mayEnter(_ step: FlowStep, _ name: EventTypeName) -> Bool {
    if upcasts.contains(where: { $0.from == name.name }) { return true }
    switch step.kind {
    case .screen: return name.name == StepEventName.viewed.rawValue && name.step == step.id
    case .permission(let permission): return name.name == PermissionEventName.name(.prePromptShown, of: permission)
    case .event(let patterns): return patterns.contains { $0.event == name.name }
    }
  }
}
