import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports

/// Tells what the numbers of a report can't show: people who never entered, steps nobody entered, events that no flow declares.
///
/// Each is one line for all flows together. Small logs say nothing: a test of three events has steps that nobody entered, and no fault.
struct FlowNotes {
  let entries: [FlowEntries]
  let contents: StoreContents
  let catalog: FlowCatalog

  /// The least number of groups of a flow that tells anything: shares of fewer are marked in reports, too.
  static let groupsMin = 30
  /// The least share of groups outside that is told: a few people whose first event is outside the log are no fault.
  private static let outsiderShareMin = 0.05
  /// Undeclared events are told from one in this many on.
  private static let unclaimedShareMin = 20
  private static let shownMax = 3

  /// The lines, none if nothing is to be told.
  var lines: [String] { [outsiders, unentered, unclaimed].compactMap { $0 } }

  private var told: [FlowEntries] { entries.filter { $0.groups >= Self.groupsMin } }

  private var outsiders: String? {
    let flows = told.filter { Double($0.outsiders) >= Double($0.groups) * Self.outsiderShareMin && $0.outsiders > 0 }
      .sorted { ($1.outsiders, $0.flow.reference) < ($0.outsiders, $1.flow.reference) }
    guard !flows.isEmpty else { return nil }
    let texts = flows.map { flow in
      let tenths = (flow.outsiders * 1000 + flow.groups / 2) / flow.groups
      return
        "\(Quantity.count(flow.outsiders)) of \(Quantity.count(flow.groups)) (\(tenths / 10).\(tenths % 10) %) of \(flow.flow.reference)"
    }
    return
      "subjects with events of a flow that never entered its first step, and count nowhere: \(Self.list(texts)); is the subject the right id?"
  }

  /// Steps that no event of the log enters. Whether an event's properties meet a step's conditions is not looked at.
  private var unentered: String? {
    let names = contents.names
    guard contents.areNamesComplete, names.count < Limits.unclaimedNamesMax else { return nil }
    let texts: [String] = told.filter { $0.groups > $0.outsiders }.compactMap { entry in
      // An upcast may read an event as any other.
      guard entry.flow.upcasts.isEmpty else { return nil }
      let steps = entry.flow.steps.indices.filter { step in !names.contains { entry.flow.mayEnter(step, $0) } }
      guard !steps.isEmpty else { return nil }
      return "\(steps.map { entry.flow.steps[$0].id }.joined(separator: ", ")) of \(entry.flow.reference)"
    }
    return texts.isEmpty ? nil : "steps nobody entered: \(Self.list(texts)); are their events logged, under these names?"
  }

  /// Events that no flow of their app declares, of the apps of the report's flows, if they are more than a few and their number is known: an
  /// ingest has told them already.
  private var unclaimed: String? {
    let apps = Set(told.map(\.flow.app))
    guard !apps.isEmpty, let counts = contents.knownCounts?.filter({ apps.contains($0.key.app) }) else { return nil }
    let names = counts.filter { name, _ in
      !catalog.definitions.indices.contains { index in
        catalog.definitions[index].app == name.app && catalog.declares(index, name: name.name, step: name.step)
      }
    }
    let known = counts.values.reduce(0, +)
    guard !contents.areNamesComplete, let all = contents.knownEventCount else {
      return Self.unclaimedLines(names, total: names.values.reduce(0, +), of: known, advisedBy: catalog).first
    }
    // Which names are counted is the same at each run. The other events may be of other apps, or declared.
    return Self.unclaimedLines(names, total: names.values.reduce(0, +), of: all, advisedBy: catalog, isLowerBound: true).first
  }

  /// Returns a line about events that no flow declares, none if they are a few of all.
  ///
  /// - Parameters:
  ///   - names: Their names, of which some may not be kept.
  ///   - unclaimed: Their number, also of those whose names are not kept.
  ///   - all: The number of all events.
  ///   - catalog: The flows whose names may be meant.
  ///   - isLowerBound: Whether there may be more of them.
  static func unclaimedLines(
    _ names: [UnclaimedName: Int], total unclaimed: Int, of all: Int, advisedBy catalog: FlowCatalog, isLowerBound: Bool = false
  ) -> [String] {
    guard unclaimed * unclaimedShareMin > all else { return [] }
    let texts = UnclaimedReport.names(names).map {
      "\(Quantity.count($0.1)) × \(UnclaimedReport.text($0.0, advisedBy: catalog))"
    }
    return [
      "\(isLowerBound ? "at least " : "")\(Quantity.counted(unclaimed, "event")) of \(Quantity.count(all)) that no flow declares: \(list(texts)); 'funnel schema check --against' says what may be meant"
    ]
  }

  private static func list(_ texts: [String]) -> String {
    let shown = texts.prefix(shownMax).joined(separator: "; ")
    return texts.count > shownMax ? "\(shown); and \(Quantity.count(texts.count - shownMax)) more" : shown
  }
}

extension FlowDefinition {
  /// Returns whether an event of a name may enter a step.
  fileprivate func mayEnter(_ index: Int, _ name: EventTypeName) -> Bool {
    guard name.app == app, name.flow == nil || name.flow == flow || fromFlows.contains(name.flow ?? ""),
      name.flowVersion == nil || name.flowVersion == version
    else { return false }
    switch steps[index].kind {
    case .event(let patterns):
      return patterns.contains { pattern in
        guard pattern.event == name.name else { return false }
        let step = pattern.conditions.first { $0.field == .step }
        return step.map { $0.value == name.step.map(PropertyValue.string) ?? .null } ?? true
      }
    case .permission(let permission): return name.name == PermissionEventName.name(.prePromptShown, of: permission)
    case .screen: return name.name == StepEventName.viewed.rawValue && name.step == steps[index].id
    }
  }
}
