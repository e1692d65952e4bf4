import FunnelSequences
import FunnelModel
import FunnelProjections
package import FunnelReports

extension BruteForce {
  /// The answer of one group to a permission.
  private struct Answer {
    let outcome: String
    let isRecovered: Bool
    let isClosed: Bool
    let decisionTime: Int64?
  }

  /// Returns the rows of the grants report.
  package func grants() -> [GrantRow] {
    flow.permissions.indices.flatMap { permission -> [GrantRow] in
      let answers: [(segment: Segment, member: Answer)] = groups.compactMap { group in
        guard let prompt = prompt(of: permission, in: group), isInRange(group.events[prompt]),
          !query.isMature || group.events[prompt].milliseconds + window <= query.now.milliseconds,
          let segment = segment(of: group, at: prompt)
        else { return nil }
        return (segment, answer(to: permission, in: group, prompt: prompt))
      }
      let isPlain = query.by.isEmpty && query.conditions.isEmpty && !query.isMature
      let unprimed = isPlain ? groups.count { isUnprimed(permission, in: $0) } : nil
      var segments = bySegment(answers)
      if segments.isEmpty, let unprimed, unprimed > 0 { segments = [(Segment(values: []), [])] }
      return segments.map { row(permission, $0.segment, $0.members, unprimed: unprimed) }
    }
  }

  private func says(_ event: TimedEvent, _ actions: [PermissionAction], of permission: Int) -> Bool {
    event.kind.permission == permission && actions.contains(event.kind.action)
  }

  /// Returns whether an event is a pre-prompt of a permission, by its action or because it enters a step that primes the
  /// permission.
  private func prompts(_ event: TimedEvent, _ permission: Int) -> Bool {
    says(event, [.prePrompt], of: permission)
      || flow.steps.indices.contains {
        enters(event, $0) && flow.steps[$0].permissionsPrimedOnEntry.contains(flow.permissions[permission].name)
      }
  }

  private func prompt(of permission: Int, in group: StoredSequence) -> Int? {
    group.events.indices.first { prompts(group.events[$0], permission) }
  }

  private func isUnprimed(_ permission: Int, in group: StoredSequence) -> Bool {
    let first = group.events.indices.first { says(group.events[$0], [.granted, .limited, .denied], of: permission) }
    guard let first else { return false }
    return isInRange(group.events[first]) && !group.events[..<first].contains { prompts($0, permission) }
  }

  private func answer(to permission: Int, in group: StoredSequence, prompt: Int) -> Answer {
    let start = group.events[prompt].milliseconds
    let later = group.events[(prompt + 1)...].filter { $0.milliseconds <= start + window }
    let decisions = later.filter { says($0, [.granted, .limited, .provisional, .denied, .skipped], of: permission) }
    let outcome: String
    if let last = decisions.last {
      outcome = "\(last.kind.action)"
    } else if later.contains(where: { goesOn($0, from: permission) }) {
      outcome = later.contains { says($0, [.enableTapped], of: permission) } ? "denied" : "skipped"
    } else {
      outcome = start + window > query.now.milliseconds ? "in progress" : "unanswered"
    }
    let wasRefused = decisions.first.map { says($0, [.denied, .skipped], of: permission) } ?? false
    return Answer(
      outcome: outcome, isRecovered: wasRefused && (outcome == "granted" || outcome == "limited"),
      isClosed: start + window <= query.now.milliseconds,
      decisionTime: decisions.first.map { $0.milliseconds - start })
  }

  /// Returns whether an event enters a later step, or prompts for a later permission in the `asks` of the same step.
  private func goesOn(_ event: TimedEvent, from permission: Int) -> Bool {
    let (name, step) = flow.permissions[permission]
    if flow.steps.indices.contains(where: { $0 > step && enters(event, $0) }) { return true }
    let asks = flow.steps[step].asks
    let place = asks.firstIndex(of: name) ?? -1
    return asks.indices.contains { index in
      index > place && asks[index] != name
        && flow.permissions.indices.contains { flow.permissions[$0].name == asks[index] && prompts(event, $0) }
    }
  }

  private func row(_ permission: Int, _ segment: Segment, _ answers: [Answer], unprimed: Int?) -> GrantRow {
    func count(_ outcome: String) -> Int { answers.count { $0.outcome == outcome } }
    let (granted, limited, denied) = (count("granted"), count("limited"), count("denied"))
    let provisional = count("provisional")
    var row = GrantRow(key: key(segment), title: flow.title, permission: flow.permissions[permission].name)
    row.prompted = answers.count
    row.granted = granted
    row.limited = limited
    row.provisional = provisional
    row.denied = denied
    row.skipped = count("skipped")
    row.unanswered = count("unanswered")
    row.inProgress = count("in progress")
    row.recovered = answers.count(where: \.isRecovered)
    row.unprimed = unprimed
    row.grantRate = rate(granted, answers.count)
    row.accessRate = rate(granted + limited + provisional, answers.count)
    row.dialogGrantRate = rate(granted, granted + limited + denied)
    row.closed = closed(answers.filter(\.isClosed))
    row.decisionTime = quantiles(answers.compactMap(\.decisionTime))
    return row
  }

  private func closed(_ answers: [Answer]) -> ClosedGrants {
    let granted = answers.count { $0.outcome == "granted" }
    return ClosedGrants(prompted: answers.count, granted: granted, grantRate: rate(granted, answers.count))
  }
}
