import FunnelModel
package import FunnelProjections

/// Counts the answers of groups to each permission that a flow asks for (specification section 3).
package final class GrantsProjector: Projector {
  package static let readsChain = false

  private let query: FlowQuery
  private let matcher: PermissionMatcher
  let ids: GrantCounterIDs

  var permissions: [FlowPermission] { matcher.permissions }

  package init(_ query: FlowQuery) {
    self.query = query
    matcher = PermissionMatcher(query)
    ids = GrantCounterIDs(
      permissionCount: matcher.permissions.count, knowsSettings: !query.flow.settingsEvents.isEmpty)
  }

  package var counterCount: Int { ids.counterCount }
  package var durationCount: Int { permissions.count }

  /// Whether to count unprimed groups.
  var countsUnprimed: Bool {
    // Without a pre-prompt, their segment and the end of their window are unknown.
    query.hasOneSegment && !query.clock.countsClosedOnly
  }

  package func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard !permissions.isEmpty else { return }
    matcher.withAnswers(in: events) { answers, permissionEvents in
      if countsUnprimed, !answers.unprimed.isEmpty {
        contribution.beginSection(at: 0)
        for permission in answers.unprimed { contribution.count(ids[permission].unprimed) }
      }
      for permission in answers.counted {
        let outcome = answers.outcome(of: permission, permissionEvents[permission])
        self.contribute(permission, permissionEvents[permission], outcome: outcome, into: &contribution)
      }
    }
  }

  private func contribute(
    _ permission: Int, _ events: PermissionEvents, outcome: GrantOutcome?, into contribution: inout Contribution
  ) {
    let ids = ids[permission]
    contribution.beginSection(at: events.prompt)
    contribution.count(ids.prompted)
    contribution.count(ids.promptedOpen, .ifOpen)
    guard let outcome else {
      contribution.count(ids.outcome(.unanswered), .ifClosed)
      contribution.count(ids.outcome(.inProgress), .ifOpen)
      return
    }
    contribution.count(ids.outcome(outcome))
    guard let first = events.firstDecision else { return }
    if outcome == .granted { contribution.count(ids.grantedOpen, .ifOpen) }
    if events.isRecovered {
      contribution.count(ids.recovered)
      if events.isDecidedInSettings, let counter = ids.recoveredViaSettings { contribution.count(counter) }
    }
    // The duration of a permission is the time from its pre-prompt to the first decision.
    contribution.time(permission, from: events.prompt, to: first.event)
  }

  package func rows(from segments: SegmentedCounts) -> [GrantRow] {
    permissions.indices.flatMap { permission in
      let unprimed = countsUnprimed ? segments.whole[ids[permission].unprimed] : nil
      var asked = segments.sized(by: ids[permission].prompted)
      // A permission whose system dialog always comes without a pre-prompt must still have a row.
      if asked.isEmpty, let unprimed, unprimed > 0 { asked = [segments.whole] }
      return asked.map { row(of: permission, from: $0, unprimed: unprimed) }
    }
  }

  private func row(of permission: Int, from counts: SegmentCounts, unprimed: Int?) -> GrantRow {
    let ids = ids[permission]
    func count(_ outcome: GrantOutcome) -> Int { counts[ids.outcome(outcome)] }
    let prompted = counts[ids.prompted]
    let promptedClosed = prompted - counts[ids.promptedOpen]
    let grantedClosed = count(.granted) - counts[ids.grantedOpen]
    return GrantRow(
      key: RowKey(flow: query.flow, segment: counts.segment),
      title: query.flow.title,
      permission: permissions[permission].name,
      note: permissions[permission].note,
      prompted: prompted,
      granted: count(.granted),
      limited: count(.limited),
      provisional: count(.provisional),
      denied: count(.denied),
      skipped: count(.skipped),
      unanswered: count(.unanswered),
      inProgress: count(.inProgress),
      recovered: counts[ids.recovered],
      unprimed: unprimed,
      grantRate: Rate(count(.granted), of: prompted),
      accessRate: Rate(count(.granted) + count(.limited) + count(.provisional), of: prompted),
      dialogGrantRate: Rate(count(.granted), of: count(.granted) + count(.limited) + count(.denied)),
      closed: ClosedGrants(
        prompted: promptedClosed, granted: grantedClosed, grantRate: Rate(grantedClosed, of: promptedClosed)),
      decisionTime: counts.quantiles(of: permission),
      recoveredViaSettings: ids.recoveredViaSettings.map { counts[$0] })
  }
}

/// The counter IDs of a grants report, by permission.
struct GrantCounterIDs: Sendable {
  private let permissions: [Permission]
  let counterCount: Int

  /// The counter IDs of one permission.
  struct Permission: Sendable {
    private let outcomes: CounterBlock
    /// The groups with a pre-prompt.
    let prompted: Int
    /// The groups that first denied or skipped and granted later, perhaps in part.
    let recovered: Int
    /// The groups with a system dialog and no pre-prompt before it. All are in the segment without values.
    let unprimed: Int
    // Open windows are few, so they are cheaper to count than closed ones.
    /// The prompted groups whose window is open.
    let promptedOpen: Int
    /// The groups that granted and whose window is open.
    let grantedOpen: Int
    /// The recovered groups that were sent to the system's settings, or `nil` if the flow declares no such event.
    let recoveredViaSettings: Int?

    fileprivate init(in layout: inout CounterLayout, knowsSettings: Bool) {
      outcomes = layout.block(GrantOutcome.allCases.count)
      prompted = layout.counter()
      recovered = layout.counter()
      unprimed = layout.counter()
      promptedOpen = layout.counter()
      grantedOpen = layout.counter()
      recoveredViaSettings = knowsSettings ? layout.counter() : nil
    }

    /// Returns the counter of groups with an outcome.
    func outcome(_ outcome: GrantOutcome) -> Int { outcomes[outcome.rawValue] }
  }

  /// - Parameter knowsSettings: Whether the flow declares the event that opens the system's settings.
  init(permissionCount: Int, knowsSettings: Bool) {
    var layout = CounterLayout()
    permissions = (0..<permissionCount).map { _ in Permission(in: &layout, knowsSettings: knowsSettings) }
    counterCount = layout.count
  }

  subscript(permission: Int) -> Permission { permissions[permission] }
}
