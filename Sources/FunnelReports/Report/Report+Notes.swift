import FunnelModel
import FunnelProjections

extension Report {
  /// Sentences about the groups that the numbers exclude or are restricted to, with the options that change
  /// this. They have no full stop.
  public var notes: [String] { leftOutNotes + keyNotes + internalNotes }

  private var isComparison: Bool { answers.map(\.name) == [CompareReport.name] }

  /// Sentences about the groups of each flow that began before the period, finished in another way, or are in
  /// progress.
  private var leftOutNotes: [String] {
    entries.flatMap { entry -> [String] in
      let flow = entry.flow
      let noun = CountedNoun(of: query, flow)
      // A comparison has its own notes for each side.
      let rows =
        isComparison
        ? []
        : funnelRows.filter { $0.key.app == flow.app && $0.key.flow == flow.flow && $0.key.version == flow.version }
      let returned = LeftOutText.returned(entry.returned, entered: entry.entered, counting: noun)
      let sentences =
        [returned, youngPeriod(rows, of: flow, noun)].compactMap { $0 }
        + LeftOutText.otherWay(of: rows, counting: noun)
      return sentences.map { "\(flow.reference): \($0)" }
    }
  }

  /// The minimum number of entries at which a large share in progress is reported.
  private static let youngPeriodMin = 30

  /// Returns a sentence about the effect of groups in progress, or `nil` if they are few or the report shows
  /// the effect.
  ///
  /// If they are few overall, but many in one segment, the sentence is about the segment with the most of them.
  private func youngPeriod(_ rows: [FunnelRow], of flow: FlowDefinition, _ noun: CountedNoun) -> String? {
    guard answers.count == 1, let effect = answers[0].effectOfPeopleInProgress else { return nil }
    let segments = groupsInProgress(rows, of: flow)
    let all = segments.reduce((inProgress: 0, entered: 0)) { ($0.inProgress + $1.inProgress, $0.entered + $1.entered) }
    var inProgress = all.inProgress
    var entered = all.entered
    var of = ""
    if !isYoung(inProgress, of: entered) {
      guard let most = segments.max(by: { $0.inProgress < $1.inProgress }), isYoung(most.inProgress, of: most.entered) else {
        return nil
      }
      inProgress = most.inProgress
      entered = most.entered
      of = " of \(most.segment.map(\.segmentLabel).joined(separator: ", "))"
    }
    return "\(HumanNumbers.count(inProgress)) of \(noun.counted(entered))\(of) are in progress: \(effect); "
      + "--mature counts only those whose window is closed"
  }

  private func isYoung(_ inProgress: Int, of entered: Int) -> Bool {
    entered >= Self.youngPeriodMin && ManyInProgress.holds(inProgress, of: entered)
  }

  /// Returns the number of groups in progress and of all groups, for each segment of a flow version.
  ///
  /// The outcomes report has its own numbers: a group with an outcome is not in progress.
  private func groupsInProgress(
    _ rows: [FunnelRow], of flow: FlowDefinition
  ) -> [(segment: [PropertyValue], inProgress: Int, entered: Int)] {
    guard let outcomes = self[OutcomesReport.self] else { return rows.map { ($0.key.segment, $0.inProgress, $0.entered) } }
    return outcomes.filter { $0.key.app == flow.app && $0.key.flow == flow.flow && $0.key.version == flow.version }
      .map { ($0.key.segment, $0.inProgress, $0.entered) }
  }

  private var keyNotes: [String] {
    // A comparison has its own note about the groups that its sides exclude.
    let compared = isComparison ? query.by.first : nil
    let absent = keysWithoutValue
    return KeyNotes(
      query: query, coverage: coverage,
      isIncluded: { dimension in dimension != compared && !(dimension.stored.map(absent.contains) ?? false) }
    ).sentences
  }

  private var internalNotes: [String] { Report.internalNotes(internalSubjects) }

  /// Returns a sentence about excluded internal subjects, or an empty array if there are none.
  public static func internalNotes(_ count: Int) -> [String] {
    guard count > 0 else { return [] }
    return [
      "\(HumanNumbers.count(count)) \(count == 1 ? "subject" : "subjects") of \(InternalSubjects.fileName) "
        + "\(count == 1 ? "is" : "are") left out; --internal counts \(count == 1 ? "it" : "them")"
    ]
  }
}

/// The notes on the keys of a query: groups that lack a key at their first step, and groups that have a value
/// at a step.
private struct KeyNotes {
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
