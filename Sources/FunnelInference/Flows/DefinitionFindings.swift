package import FunnelDecoding
import FunnelIngest
package import FunnelModel

/// Compares flow definitions with a log and reports likely mistakes in the definitions or in the app's logging.
package struct DefinitionFindings: Sendable {
  /// A finding about a flow version, as a sentence.
  package struct Finding: Hashable, Sendable {
    /// The index of the flow version in the catalog, or `nil` for events that no flow declares.
    package var flow: Int?
    /// A human-readable sentence.
    package var sentence: String
  }

  /// The likely mistakes, by flow version.
  package private(set) var findings: [Finding] = []
  /// The number of subjects with events of each flow version, by its index in the catalog.
  package private(set) var subjects: [Int: Int] = [:]
  /// The events that no flow declares and their counts, most frequent first.
  package private(set) var unclaimed: [(name: EventTypeName, count: Int)] = []

  private let catalog: FlowCatalog
  private let statistics: OccurrenceStatistics

  /// Compares flow definitions with the events of a log.
  ///
  /// - Parameters:
  ///   - statistics: The statistics of the log, made with the same catalog.
  ///   - catalog: The flow definitions.
  package init(_ statistics: OccurrenceStatistics, catalog: FlowCatalog) {
    self.statistics = statistics
    self.catalog = catalog
    for flow in catalog.definitions.indices { examine(flow) }
    unclaimed = statistics.eventClasses.indices.filter { !statistics.eventClasses[$0].isDeclared }
      .map { (statistics.eventClasses[$0].name, statistics.eventCounts[$0]) }
      .sorted { ($1.count, $0.name.name, $0.name.step ?? "") < ($0.count, $1.name.name, $1.name.step ?? "") }
  }

  /// The time in milliseconds of a subject's first entry into each step of a flow, by the index of the step.
  private typealias Entries = [Int: Int64]

  /// Examines one flow version.
  private mutating func examine(_ flow: Int) {
    let definition = catalog.definitions[flow]
    precondition(definition.steps.count <= UInt64.bitWidth, "the steps fit into a bit set")
    // For each event class, the steps that it enters, as a bit set.
    let masks = statistics.eventClasses.map { eventClass in
      eventClass.flowMatches.filter { Int($0.entry.flow) == flow }.reduce(into: UInt64(0)) { $0 |= $1.entry.kind.stepMask }
    }
    let isAggregated = statistics.eventClasses.map { eventClass in
      eventClass.flowMatches.contains { Int($0.entry.flow) == flow }
    }
    var entriesOfSubjects: [Entries] = []
    for subject in statistics.subjects where subject.occurrences.contains(where: { isAggregated[$0.eventClass] }) {
      entriesOfSubjects.append(Self.entries(of: subject, masks))
    }
    subjects[flow] = entriesOfSubjects.count
    guard !entriesOfSubjects.isEmpty else {
      return add(
        flow, "no event in the input belongs to this flow; name its app and flow in the events, or with --app and --map")
    }
    addUnentered(flow, definition, entriesOfSubjects)
    addOutsiders(flow, definition, entriesOfSubjects)
    addSwapped(flow, definition, entriesOfSubjects)
    addSkipped(flow, definition, entriesOfSubjects)
    addOptionalGoal(flow, definition)
    addOnlyRequiredStep(flow, definition)
    addOneSidedAnswers(flow, definition)
  }

  /// Returns the first entries of a subject.
  ///
  /// - Parameter masks: The steps that each event class enters, as a bit set.
  private static func entries(of subject: OccurrenceStatistics.Subject, _ masks: [UInt64]) -> Entries {
    var entries: Entries = [:]
    for occurrence in subject.occurrences {
      var mask = masks[occurrence.eventClass]
      while mask != 0 {
        let step = mask.trailingZeroBitCount
        entries[step] = min(entries[step] ?? .max, occurrence.milliseconds)
        mask &= mask - 1
      }
    }
    return entries
  }

  /// Reports the steps without entries.
  private mutating func addUnentered(_ flow: Int, _ definition: FlowDefinition, _ subjects: [Entries]) {
    for (index, step) in definition.steps.enumerated() where !subjects.contains(where: { $0[index] != nil }) {
      add(flow, "step \(step.id): nobody enters it")
    }
  }

  /// Reports that most subjects never enter the first step. A funnel does not count these.
  private mutating func addOutsiders(_ flow: Int, _ definition: FlowDefinition, _ subjects: [Entries]) {
    guard let first = definition.steps.firstIndex(where: { !$0.isOptional }) else { return }
    let outsiders = subjects.count { $0[first] == nil }
    // For a few subjects, the first event may be outside the log, which is not a mistake.
    guard outsiders * 2 > subjects.count else { return }
    add(
      flow,
      "step \(definition.steps[first].id): \(Quantity.count(outsiders)) of \(Quantity.count(subjects.count)) subjects with events of the flow never enter this first step, and are not counted; is the subject the right id?"
    )
  }

  /// Reports steps that most subjects enter in the opposite order.
  private mutating func addSwapped(_ flow: Int, _ definition: FlowDefinition, _ subjects: [Entries]) {
    var before: Int?
    for (index, step) in definition.steps.enumerated() where !step.isOptional {
      defer { before = index }
      guard let before else { continue }
      let both = subjects.compactMap { entries in entries[before].flatMap { first in entries[index].map { (first, $0) } } }
      let swapped = both.count { $0.1 < $0.0 }
      guard swapped * 2 > both.count else { continue }
      add(
        flow,
        "step \(step.id): \(Quantity.count(swapped)) of \(Quantity.count(both.count)) subjects enter it before \(definition.steps[before].id), which comes first in the definition; swap them?"
      )
    }
  }

  /// Reports required steps that most of those who reach a later step never enter.
  private mutating func addSkipped(_ flow: Int, _ definition: FlowDefinition, _ subjects: [Entries]) {
    // The first step is that of the outsiders.
    for (index, step) in definition.steps.enumerated().dropFirst() where !step.isOptional {
      let later = subjects.filter { entries in entries.keys.contains { $0 > index } }
      let skipped = later.count { $0[index] == nil }
      // `addUnentered` reports steps that nobody enters.
      guard skipped * 2 > later.count, subjects.contains(where: { $0[index] != nil }) else { continue }
      add(
        flow,
        "step \(step.id): \(Quantity.count(skipped)) of \(Quantity.count(later.count)) subjects who reach a later step never enter it; is it optional?"
      )
    }
  }

  /// Reports that the last step is optional and nothing else says what success is.
  private mutating func addOptionalGoal(_ flow: Int, _ definition: FlowDefinition) {
    guard let last = definition.steps.last, last.isOptional, definition.outcomes.isEmpty,
      let goal = definition.steps.last(where: { !$0.isOptional })
    else { return }
    add(
      flow,
      "step \(last.id): the last step is optional, so whoever reaches \(goal.id) counts as completed; make the goal the last required step"
    )
  }

  /// Reports that only one step is required, so everybody who enters it completes.
  private mutating func addOnlyRequiredStep(_ flow: Int, _ definition: FlowDefinition) {
    // `addOptionalGoal` reports that the last step is optional.
    guard definition.completesAtOnce, let only = definition.requiredSteps.first, only == definition.steps.count - 1 else {
      return
    }
    add(
      flow,
      "step \(definition.steps[only].id): the only required step, so whoever enters it completes; remove \"optional\" from the steps that matter"
    )
  }

  /// Reports permissions whose answers are renamed events of one kind only.
  private mutating func addOneSidedAnswers(_ flow: Int, _ definition: FlowDefinition) {
    guard !definition.upcasts.isEmpty else { return }
    var grants: [Int: Int] = [:]
    var denials: [Int: Int] = [:]
    for (eventClass, count) in zip(statistics.eventClasses, statistics.eventCounts) {
      for match in eventClass.flowMatches where Int(match.entry.flow) == flow {
        guard let permission = match.entry.kind.permission else { continue }
        if match.entry.kind.action == .granted { grants[permission, default: 0] += count }
        if match.entry.kind.action == .denied { denials[permission, default: 0] += count }
      }
    }
    for (index, permission) in definition.permissions.enumerated() where (grants[index] == nil) != (denials[index] == nil) {
      let (known, missing) = grants[index] == nil ? ("denials", "grants") : ("grants", "denials")
      add(
        flow,
        "permission \(permission.name): the events have \(known) but no \(missing), so its rate says nothing; which event is the other answer?"
      )
    }
  }

  private mutating func add(_ flow: Int, _ sentence: String) { findings.append(Finding(flow: flow, sentence: sentence)) }
}
