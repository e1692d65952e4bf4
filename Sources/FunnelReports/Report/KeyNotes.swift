import FunnelModel
import FunnelProjections
import FunnelRendering

/// The notes on the keys of a query: groups that lack a key at their first step, and groups that have a value
/// at a step.
struct KeyNotes {
  let query: ReportQuery
  let coverage: [KeyCoverage]
  /// Returns whether to include notes on a dimension.
  let isIncluded: (Dimension) -> Bool

  /// The inverse of the minimum share of groups with a late key that is reported: more than 1 in 20.
  private static let laterShareMin = 20
  /// The maximum number of flows in the notes on a key.
  private static let flowsShownMax = 3

  var sentences: [String] {
    let nonempty = coverage.filter { $0.entered > 0 || $0.keys.contains { $0.groups > 0 } }
    let ofFlows = nonempty.filter { $0.permission == nil }
    return keys.flatMap { lateKey($0, in: nonempty) } + attributedKeys.flatMap { survivors($0, in: nonempty) }
      + stepKeys.flatMap { stepKey($0, in: ofFlows) }
  }

  private var dimensions: [Dimension] {
    var dimensions: [Dimension] = []
    for dimension in query.by + query.conditions.map(\.dimension) where !dimensions.contains(dimension) {
      dimensions.append(dimension)
    }
    return dimensions.filter(isIncluded)
  }

  // MARK: - Keys that come late

  private var keys: [Dimension] {
    query.attribution == .anchor ? dimensions.filter { $0.stored == $0 } : []
  }

  /// The keys whose later values are used.
  private var attributedKeys: [Dimension] {
    query.attribution == .known ? dimensions.filter { $0.stored == $0 } : []
  }

  /// Returns sentences about survivorship bias: groups that left before their value was known have none.
  ///
  /// A flow is included if it has enough such groups, and enough groups whose value came late.
  private func survivors(_ key: Dimension, in coverage: [KeyCoverage]) -> [String] {
    coverage.compactMap { flow -> String? in
      guard flow.permission == nil, let counts = flow.keys.first(where: { $0.key == key }) else { return nil }
      let never = counts.absent - counts.later
      guard min(counts.later, never) * Self.laterShareMin > counts.groups else { return nil }
      return
        "\(HumanNumbers.count(counts.later)) of \(counted(counts.groups, flow.flow)) of \(flow.flow.reference) got their \(key) only after "
        + "the first step, and \(HumanNumbers.count(never)) never got one: those who left early have no value, so a value that comes later "
        + "looks better than it is"
    }.prefix(Self.flowsShownMax).map(\.self)
  }

  /// A key that groups lack at their first step, or at their first pre-prompt of a permission, and have later.
  private struct LateKey {
    let flow: FlowDefinition
    /// The permission, or `nil` for the first step.
    let permission: String?
    let key: KeyCoverage.Key

    /// The moment at which the key is missing.
    var moment: String { permission == nil ? "first step" : "first pre-prompt" }
  }

  private func lateKey(_ key: Dimension, in coverage: [KeyCoverage]) -> [String] {
    let late = coverage.compactMap { flow in
      flow.keys.first { $0.key == key && $0.later > 0 }.map {
        LateKey(flow: flow.flow, permission: flow.permission, key: $0)
      }
    }.sorted { $0.key.later > $1.key.later }
    let missing = late.filter { $0.key.absent == $0.key.groups }
    let partial = late.filter { $0.key.absent < $0.key.groups && $0.key.later * Self.laterShareMin > $0.key.groups }
    let ofFlows = partial.filter { $0.permission == nil }
    let ofPermissions = partial.filter { $0.permission != nil }
    return missing.prefix(Self.flowsShownMax).map(missingKey)
      + [ofFlows, ofPermissions].compactMap { partialKey(key, $0) }
  }

  /// Returns the sentence about a key that only some groups have at a moment, or `nil` if there are no such flows.
  private func partialKey(_ key: Dimension, _ late: [LateKey]) -> String? {
    guard let first = late.first else { return nil }
    let shown = late.prefix(Self.flowsShownMax).map { late in
      let share = HumanNumbers.percent(Double(late.key.later) / Double(late.key.groups))
      let asked = late.permission.map { " asked for \($0)" } ?? ""
      return
        "\(HumanNumbers.count(late.key.later)) of \(counted(late.key.groups, late.flow))\(asked) (\(share)) of \(late.flow.reference)"
    }
    let more = late.count > shown.count ? ", and some of \(late.count - shown.count) more" : ""
    return "\(shown.joined(separator: ", "))\(more) have no \(key) at their \(first.moment) but have one later; "
      + "--attribution known takes the first value that is known"
  }

  /// Returns the sentence about a key that no group has at its first step or pre-prompt.
  private func missingKey(_ late: LateKey) -> String {
    let option = query.by.contains(late.key.key) ? "--by" : "--where"
    let atStep = stepDimension(late).map { "\(option) \($0) asks for the value at that step, " } ?? ""
    let asked = late.permission.map { " asked for \($0)" } ?? ""
    return "no \(noun(late.flow).singular)\(asked) of \(late.flow.reference) has \(late.key.key) at the \(late.moment), "
      + "\(HumanNumbers.count(late.key.later)) of \(counted(late.key.groups, late.flow)) have it later; "
      + "\(atStep)--attribution known takes the first value that is known"
  }

  /// Returns the dimension of a key at the step where most groups have it, or `nil` if no group has it at a step.
  private func stepDimension(_ late: LateKey) -> Dimension? {
    let counts = late.key.laterAtSteps
    guard let most = counts.max(), most > 0, let step = counts.firstIndex(of: most) else { return nil }
    return Dimension("step.\(late.flow.steps[step].id).\(late.key.key)")
  }

  // MARK: - Values of steps

  private var stepKeys: [Dimension] { dimensions.filter { if case .step = $0 { true } else { false } } }

  private func stepKey(_ dimension: Dimension, in coverage: [KeyCoverage]) -> [String] {
    guard case .step(let id, _) = dimension else { return [] }
    return coverage.filter { $0.entered > 0 }.compactMap { flow -> String? in
      guard let step = flow.flow.steps.first(where: { $0.id == id }) else { return nil }
      let share = HumanNumbers.percent(Double(flow.completed) / Double(flow.entered))
      return "\(dimension) is about the \(noun(flow.flow).plural) who reached \(step.label) and have a value there; of all "
        + "\(counted(flow.entered, flow.flow)) of \(flow.flow.reference), \(HumanNumbers.count(flow.completed)) (\(share)) completed"
    }.prefix(Self.flowsShownMax).map(\.self)
  }

  private func noun(_ flow: FlowDefinition) -> CountedNoun { CountedNoun(of: query, flow) }
  private func counted(_ count: Int, _ flow: FlowDefinition) -> String { noun(flow).counted(count) }
}
