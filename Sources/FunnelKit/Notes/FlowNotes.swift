import FunnelIndex
package import FunnelDecoding
package import FunnelModel
import FunnelRendering
import FunnelReports

/// Notes on likely logging mistakes that a report does not show: people who never entered a flow, steps without
/// entries, undeclared events.
///
/// There is at most one line for each type, for all flows together. Flows with few groups have no notes: a test
/// log of three events naturally has steps that no event enters.
package struct FlowNotes {
  private let entries: [FlowEntries]
  private let contents: StoreContents
  private let catalog: FlowCatalog
  /// The unit of the entries, or `nil` for that of each flow.
  private let countBy: FlowDefinition.CountBy?

  init(entries: [FlowEntries], contents: StoreContents, catalog: FlowCatalog, countBy: FlowDefinition.CountBy? = nil) {
    self.entries = entries
    self.contents = contents
    self.catalog = catalog
    self.countBy = countBy
  }

  /// The smallest number of groups for which a flow has notes. Reports mark percentages of fewer groups, too.
  static let groupsMin = 30
  /// The smallest fraction of outsiders that is noted. Some people always have their first event before the
  /// start of the log.
  private static let outsiderShareMin = 0.05
  /// Undeclared events are noted if they are more than one in this many events.
  private static let unclaimedShareMin = 20
  /// The largest number of examples in a line.
  private static let shownMax = 3

  /// The notes, at most one of each type.
  var lines: [String] { [outsiders, unentered, unclaimed].compactMap { $0 } }

  /// The entries of the flows that have enough groups. A flow that the user lists in the query is meant as it is.
  private var considered: [FlowEntries] {
    let adHoc = Set(catalog.adHocIndices.map { catalog.definitions[$0].flow })
    return entries.filter { $0.groups >= Self.groupsMin && !adHoc.contains($0.flow.flow) }
  }

  /// The note on groups that have events of a flow but never entered its first required step, or `nil` if they are few.
  private var outsiders: String? {
    let flows = considered.filter { Double($0.outsiders) >= Double($0.groups) * Self.outsiderShareMin && $0.outsiders > 0 }
      .sorted { ($1.outsiders, $0.flow.reference) < ($0.outsiders, $1.flow.reference) }
    guard !flows.isEmpty else { return nil }
    let texts = flows.map { flow in
      // Tenths of a percent, rounded.
      let tenths = (flow.outsiders * 1000 + flow.groups / 2) / flow.groups
      let noun = CountedNoun(countBy ?? flow.flow.countBy)
      return
        "\(Quantity.count(flow.outsiders)) of \(noun.counted(flow.groups)) (\(tenths / 10).\(tenths % 10) %), \(noun.pronoun) never had "
        + Self.entrance(of: flow.flow)
    }
    let hasEarlierSteps = flows.contains { ($0.flow.requiredSteps.first ?? 0) > 0 }
    let advice = hasEarlierSteps ? "make an earlier step required, or check" : "check"
    return "not counted: \(Self.list(texts, more: "more flows")); \(advice) that all events of a person have the same id"
  }

  /// Returns the first required step of a flow, with the flow.
  private static func entrance(of flow: FlowDefinition) -> String {
    let step = flow.requiredSteps.first.map { "\(flow.steps[$0].id), the first required step" } ?? "a required step"
    return "\(step) of \(flow.reference)"
  }

  /// The note on steps that no event of the log enters, or `nil` if there are none. Does not check conditions on properties.
  private var unentered: String? {
    let names = contents.names
    guard contents.areNamesComplete, names.count < Limits.unclaimedNamesMax else { return nil }
    let texts: [String] = considered.filter { $0.groups > $0.outsiders }.compactMap { entry in
      // An upcast may translate an event to any other.
      guard entry.flow.upcasts.isEmpty else { return nil }
      let steps = entry.flow.steps.indices.filter { step in !names.contains { entry.flow.mayEnter(step, $0) } }
      guard !steps.isEmpty else { return nil }
      return "\(steps.map { entry.flow.steps[$0].id }.joined(separator: ", ")) of \(entry.flow.reference)"
    }
    return texts.isEmpty ? nil : "steps nobody entered: \(Self.list(texts)); are their events logged, under these names?"
  }

  /// The note on events of the report's apps that no flow declares, or `nil` if they are few or their number is not known.
  private var unclaimed: String? {
    let apps = Set(considered.map(\.flow.app))
    guard !apps.isEmpty, let counts = contents.knownCounts?.filter({ apps.contains($0.key.app) }) else { return nil }
    let names = counts.filter { name, _ in
      guard name.name != UserLinkEvent.name else { return false }
      return !catalog.definitions.indices.contains { index in
        catalog.definitions[index].app == name.app && catalog.declares(index, name: name.name, step: name.step)
      }
    }
    let known = counts.values.reduce(0, +)
    guard !contents.areNamesComplete, let all = contents.knownEventCount else {
      return Self.unclaimedLines(names, total: names.values.reduce(0, +), of: known, advisedBy: catalog).first
    }
    // Only some names are counted, the same ones at each run. The other events may be of other apps, or declared.
    return Self.unclaimedLines(names, total: names.values.reduce(0, +), of: all, advisedBy: catalog, isLowerBound: true).first
  }

  /// Returns a line on events that no flow declares, or an empty array if they are few.
  ///
  /// - Parameters:
  ///   - names: Their counts by name. May be incomplete.
  ///   - unclaimed: Their number, including those that are not in `names`.
  ///   - all: The number of all events.
  ///   - catalog: The flows from which similar names are suggested.
  ///   - isLowerBound: Whether there may be more of them.
  package static func unclaimedLines(
    _ names: [UnclaimedName: Int], total unclaimed: Int, of all: Int, advisedBy catalog: FlowCatalog, isLowerBound: Bool = false
  ) -> [String] {
    guard unclaimed * unclaimedShareMin > all else { return [] }
    let texts = UnclaimedReport.names(names).map {
      "\(Quantity.count($0.count)) × \(UnclaimedReport.text($0.name, advisedBy: catalog))"
    }
    return [
      "\(isLowerBound ? "at least " : "")\(Quantity.counted(unclaimed, "event")) of \(Quantity.count(all)) that no flow declares: \(list(texts)); 'funnel schema check --against' says what may be meant"
    ]
  }

  /// Returns the first texts and the number of the others.
  ///
  /// - Parameter more: The words after that number.
  private static func list(_ texts: [String], more: String = "more") -> String {
    let shown = texts.prefix(shownMax).joined(separator: "; ")
    return texts.count > shownMax ? "\(shown); and \(Quantity.count(texts.count - shownMax)) \(more)" : shown
  }
}

extension FlowDefinition {
  /// Whether an event of a name may enter the step at an index.
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
