import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelModel
import FunnelProjections

/// Determines the effects of a subject's events in one flow version, with the same rules as the reports.
struct FlowTrace {
  private let flow: FlowDefinition
  private let query: FlowQuery
  private let breaches: BreachesProjector
  private let permissionMatcher: PermissionMatcher

  init(_ flow: FlowDefinition, _ query: ReportQuery) {
    self.flow = flow
    self.query = FlowQuery(flow: flow, query: query)
    breaches = BreachesProjector(self.query)
    permissionMatcher = PermissionMatcher(self.query)
  }

  /// Returns the effect of each match, with the index of its event.
  ///
  /// - Parameters:
  ///   - matches: The matches of the subject's events with the flow version, in order.
  ///   - events: All events of the subject.
  func effects(of matches: [SubjectTrace.Match], _ events: [SubjectEvent]) -> [(eventIndex: Int, effect: TraceEffect)] {
    var rule = breaches.makeSubjectRule()
    let entries = matches.map(\.entry)
    let all = matches.indices.map { index in
      TimedEvent(
        milliseconds: events[matches[index].eventIndex].timestamp.milliseconds, kind: entries[index].kind,
        classID: EventClassID(index))
    }
    let broken = Set(all.indices.filter { rule?.isBroken(by: all[$0], detail: entries[$0].detail) ?? false })
    var groups: [(attempt: String?, members: [Int])] = []
    for index in all.indices {
      let attempt = query.countsByAttempt ? events[matches[index].eventIndex].attempt : nil
      if let group = groups.firstIndex(where: { $0.attempt == attempt }) {
        groups[group].members.append(index)
      } else {
        groups.append((attempt, [index]))
      }
    }
    var effects = entries.map { effect(of: $0) }
    for group in groups {
      for members in dividedIntoEntries(group.members, all, entries) { trace(members, all, entries, broken, into: &effects) }
    }
    return zip(matches, effects).map { ($0.eventIndex, $1) }
  }

  /// Returns the members of a group divided into entries if the flow counts entries, or undivided otherwise.
  private func dividedIntoEntries(
    _ members: [Int], _ all: [TimedEvent], _ entries: [EventClassTable.Entry]
  ) -> [ArraySlice<Int>] {
    guard query.countBy == .entry else { return [members[...]] }
    var starts: [Int] = []
    var chain = ChainMatch()
    let events = members.map { all[$0] }
    query.entryMatcher.findEntries(
      of: GroupEvents(events.span, entries: entries.span, query: query), into: &starts, chain: &chain)
    return zip(starts, starts.dropFirst() + [members.count]).map { members[$0..<$1] }
  }

  /// Returns the effects of an event that do not depend on earlier events.
  private func effect(of entry: EventClassTable.Entry) -> TraceEffect {
    var effect = TraceEffect(app: flow.app, flow: flow.flow, version: flow.version)
    let kind = entry.kind
    effect.enters = flow.steps.indices.filter { kind.stepMask >> UInt64($0) & 1 == 1 }.map { flow.steps[$0].id }
    if let permission = kind.permission(of: permissionMatcher.permissions) {
      effect.permission = permissionMatcher.permissions[permission].name
      effect.decision = entry.detail?.suffix?.rawValue
    }
    if let outcome = kind.outcome { effect.outcome = flow.outcomes[outcome].name }
    return effect
  }

  /// Records the effects of a group's events that depend on each other.
  private func trace(
    _ slice: ArraySlice<Int>, _ all: [TimedEvent], _ entries: [EventClassTable.Entry], _ broken: Set<Int>,
    into effects: inout [TraceEffect]
  ) {
    let members = Array(slice)
    let timedEvents = members.map { all[$0] }
    let events = GroupEvents(
      timedEvents.span, entries: entries.span, query: query,
      subjectRuleBreaches: Set(members.indices.filter { broken.contains(members[$0]) }))
    var chain = ChainMatch()
    if query.matcher.match(events, into: &chain) { recordMatches(chain, of: events, members, in: &effects) }
    recordGrants(of: events, members, in: &effects)
    var contribution = Contribution()
    var examination = GroupExamination(breaches)
    for index in events.indices {
      examination.examine(index, of: events, in: &contribution)
      effects[members[index]].broken += examination.brokenByLast.map(name)
    }
    examination.finish()
    effects[members[members.count - 1]].broken += examination.brokenByLast.map(name)
  }

  /// Returns the name of a broken rule, with its target if it has one.
  private func name(ofRow row: Int) -> String {
    breaches.checks[row].target.map { "\(breaches.checks[row].name):\($0)" } ?? breaches.checks[row].name
  }

  /// Records the anchor, the matched steps and the exclusion of a chain.
  private func recordMatches(
    _ chain: ChainMatch, of events: GroupEvents, _ members: [Int], in effects: inout [TraceEffect]
  ) {
    let matcher = query.matcher
    let count = matcher.requiredSteps.count
    effects[members[chain.anchor]].isAnchor = true
    for index in 0..<chain.matchedStepCount {
      let step = matcher.requiredStep(matchedAt: index, in: events, along: chain)
      effects[members[chain[index]]].match = .init(step: flow.steps[step].id, matchedStepCount: index + 1, of: count)
    }
    for optional in matcher.optionalSteps {
      guard let entry = matcher.entry(of: optional, in: events, along: chain), effects[members[entry]].match == nil else {
        continue
      }
      effects[members[entry]].match = .init(step: flow.steps[optional.step].id, matchedStepCount: nil, of: count)
    }
    if let exclusion = chain.exclusion { effects[members[exclusion]].isExclusion = true }
  }

  /// Records, for each event about a permission, the outcome up to and including that event.
  private func recordGrants(of events: GroupEvents, _ members: [Int], in effects: inout [TraceEffect]) {
    permissionMatcher.withAnswers(in: events) { answers, permissionEvents in
      var outcomes: [GrantOutcome?] = Array(repeating: nil, count: permissionMatcher.permissions.count)
      var lastDecisions: [Int?] = Array(repeating: nil, count: permissionMatcher.permissions.count)
      for index in events.indices where events[index].action != .other {
        guard let permission = events[index].permission(of: permissionMatcher.permissions),
          answers.prompted.contains(permission),
          index >= permissionEvents[permission].prompt, events.isInWindow(index, from: permissionEvents[permission].prompt)
        else { continue }
        switch events[index].action {
        case .granted, .limited, .provisional, .denied, .skipped:
          outcomes[permission] = GrantOutcome(events[index].action)
          lastDecisions[permission] = index
        case .other, .prePrompt, .enableTapped, .settingsOpened: break
        }
        effects[members[index]].grant = outcomes[permission]?.state.rawValue ?? "open"
      }
      for (permission, index) in lastDecisions.enumerated() {
        let events = permissionEvents[permission]
        guard let index, events.isRecovered, events.isDecidedInSettings else { continue }
        effects[members[index]].isRecoveredViaSettings = true
      }
    }
  }
}
