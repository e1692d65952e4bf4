import FunnelModel
package import FunnelProjections

/// Counts the groups that succeed, by the values that they have for the keys of the query, and by pairs of values
/// (specification section 7).
package final class DriversProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  private let search: DriverSearch
  private let outcome: Outcome
  private let permissions: PermissionMatcher

  // The counter IDs, and the ID of the cross counts.
  let groups = 0
  let successes = 1
  let values = 0

  /// The groups that are counted, and those among them that succeed.
  private enum Outcome: Sendable {
    /// The groups of the funnel. Those that complete succeed.
    case completion
    /// The groups of the funnel. Those with at least this matched step count succeed.
    case level(Int)
    /// The groups of the funnel. Those that enter an optional step succeed.
    case optionalStep(StepMatcher.OptionalStep)
    /// The groups with a pre-prompt of a permission, given by its index. Those that grant it succeed.
    case grant(Int)
    /// No groups, because the flow does not have the step or the permission.
    case none
  }

  package init(_ query: FlowQuery) {
    self.query = query
    let search = query.query.drivers ?? DriverSearch()
    self.search = search
    let permissions = PermissionMatcher(query)
    self.permissions = permissions
    switch search.share {
    case .conversion: outcome = .completion
    case .reached(let id):
      let step = query.flow.steps.firstIndex { $0.id == id }
      if let level = query.matcher.requiredSteps.firstIndex(where: { $0 == step }) {
        outcome = .level(level + 1)
      } else if let optional = query.matcher.optionalSteps.first(where: { $0.step == step }) {
        outcome = .optionalStep(optional)
      } else {
        outcome = .none
      }
    case .grantRate(let name):
      outcome = permissions.permissions.firstIndex { $0.name == name }.map { .grant($0) } ?? .none
    }
  }

  package var counterCount: Int { 2 }
  package var durationCount: Int { 0 }
  package var crossings: [CrossShape] {
    [
      CrossShape(
        keys: search.keys.all, flow: query.flow, valuesMax: search.keys.valuesMax, countsPairs: search.depth > 1)
    ]
  }

  package func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    if case .grant(let permission) = outcome {
      permissions.withAnswers(in: events) { answers, permissionEvents in
        guard answers.counted.contains(permission) else { return }
        let own = permissionEvents[permission]
        count(own.prompt, isSuccess: answers.outcome(of: permission, own) == .granted, into: &contribution)
      }
      return
    }
    guard chain.isCounted else { return }
    let isSuccess: Bool
    switch outcome {
    case .completion: isSuccess = query.matcher.ending(of: events, along: chain) == .completed
    case .level(let level): isSuccess = chain.matchedStepCount >= level
    case .optionalStep(let step): isSuccess = query.matcher.entry(of: step, in: events, along: chain) != nil
    case .grant, .none: return
    }
    count(chain.anchor, isSuccess: isSuccess, into: &contribution)
  }

  /// Adds a group that begins with an event.
  private func count(_ event: Int, isSuccess: Bool, into contribution: inout Contribution) {
    contribution.beginSection(at: event)
    contribution.count(groups)
    if isSuccess { contribution.count(successes) }
    contribution.noteCrossing(values, of: event, isSuccess: isSuccess)
  }

  /// The display name of the step that the share is about, or `nil` if it is about no step.
  private var label: String? {
    guard case .reached(let id) = search.share else { return nil }
    return query.flow.steps.first { $0.id == id }?.label ?? id
  }

  package func rows(from segments: SegmentedCounts) -> [DriversRow] {
    segments.sized(by: groups).map { counts in
      DriversRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, search: search,
        label: label, all: DriverShare(counts[successes], of: counts[groups]), counts: counts.crossing(values))
    }
  }
}
