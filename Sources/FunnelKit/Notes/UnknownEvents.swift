import FunnelIndex
import FunnelDecoding
import FunnelModel

/// Finds events that a query names but the log does not contain. A mistyped event would otherwise look like a
/// step without entries.
struct UnknownEvents {
  /// An event that the query names, and the option that names it.
  private struct Term {
    let key: EventKey
    let option: String
  }

  private let terms: [Term]
  /// The events of ``terms`` that only events of a flow can be: those of paths.
  private let termsOfFlows: [Term]
  private let definitions: [FlowDefinition]

  /// Creates a check of a query for some flow versions.
  init(_ query: ReportQuery, flows: [FlowDefinition]) {
    termsOfFlows =
      (query.path.map { [Term(key: $0.key, option: "--\($0.direction.rawValue)")] } ?? [])
      + (query.path?.goal.map { [Term(key: $0, option: "--goal")] } ?? [])
    terms =
      termsOfFlows + query.steps.map { Term(key: $0, option: "--steps") }
      + query.exclusions.map { Term(key: .event(name: $0), option: "--exclude") }
      + (query.retention?.returnEvents ?? []).map { Term(key: .event(name: $0), option: "--return") }
    definitions = flows
  }

  /// Returns a sentence for each event that the log does not contain, with the nearest one that it contains, and for each
  /// event of a path that belongs to no flow of the report.
  func notes(_ contents: StoreContents) -> [String] {
    guard !terms.isEmpty else { return [] }
    let apps = Set(definitions.map(\.app))
    let all = contents.names
    let names = all.filter { apps.contains($0.app) }
    // Without events, every event is absent. With too many names, not all of them are known.
    guard !names.isEmpty, contents.areNamesComplete, all.count < Limits.unclaimedNamesMax else { return [] }
    return terms.filter { !isThere($0.key, in: names) }.map { term in
      let meant = NearestName.find(term.key.description, in: candidates(for: term.key, names)).map { "did you mean \($0)?" }
      return "the log has no event \(term.key), given with \(term.option), \(meant ?? "check the spelling")"
    }
      + termsOfFlows.filter { isThere($0.key, in: names) && !isOfFlow($0.key, in: names) }.map { term in
        "no flow of this report has the event \(term.key), given with \(term.option), so next does not see it: declare it in the definition, or use 'funnel report funnel --steps'"
      }
  }

  /// Whether a flow of the report may aggregate an event that a key denotes.
  private func isOfFlow(_ key: EventKey, in names: Set<EventTypeName>) -> Bool {
    guard case .event(let event) = key, definitions.allSatisfy(\.upcasts.isEmpty) else { return true }
    return definitions.contains { definition in
      let vocabulary = FlowVocabulary(definition)
      return names.contains {
        $0.name == event && $0.app == definition.app
          && ($0.flow == definition.flow || vocabulary.declares(name: $0.name, step: $0.step))
      }
    }
  }

  /// Whether the log may contain an event that a key denotes. Does not check conditions on properties.
  private func isThere(_ key: EventKey, in names: Set<EventTypeName>) -> Bool {
    let patterns: [EventPattern]
    if let steps = adHocSteps(key) {
      patterns = steps
    } else {
      patterns = key.patterns(in: definitions)
    }
    // An upcast may translate an event to any other.
    if case .step = key, definitions.contains(where: { !$0.upcasts.isEmpty }) {
      let sources = Set(definitions.flatMap { $0.upcasts.map(\.from) })
      if names.contains(where: { sources.contains($0.name) }) { return true }
    }
    return names.contains { name in
      patterns.contains { pattern in
        guard pattern.event == name.name else { return false }
        let step = pattern.conditions.first { $0.field == .step }
        return step.map { $0.value == name.step.map(PropertyValue.string) ?? .null } ?? true
      }
    }
  }

  /// Returns the events that enter the ad-hoc step with a key, or `nil` if there is no such step.
  private func adHocSteps(_ key: EventKey) -> [EventPattern]? {
    for step in definitions.lazy.flatMap(\.steps) where step.id == key.description {
      if case .event(let patterns) = step.kind { return patterns }
    }
    return nil
  }

  /// Returns the keys of the same form that denote events of the log, sorted.
  private func candidates(for key: EventKey, _ names: Set<EventTypeName>) -> [String] {
    let keys: [EventKey] =
      switch key {
      case .event: names.map { .event(name: $0.name) }
      case .step: names.compactMap { $0.step.map(EventKey.step) } + definitions.flatMap { $0.steps.map { .step(id: $0.id) } }
      case .answer: names.compactMap { EventKey(answerLoggedBy: $0.name) }
      }
    return Set(keys.map(\.description)).sorted()
  }
}
