public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts the answers of groups to each permission that a flow asks for (specification section 3).
public final class GrantsProjector: Projector {
  public static let readsChain = false

  let query: FlowQuery
  let ids: GrantCounterIDs
  private let reading: PermissionReading

  var permissions: [FlowPermission] { reading.permissions }

  public init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    let permissions = reading.permissions
    ids = GrantCounterIDs(permissionCount: permissions.count, knowsSettings: !query.flow.settingsEvents.isEmpty)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { ids.durationCount }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution
  ) {
    guard !permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, permissionEvents in
      contributeUnprimed(answers.unprimed, into: &contribution)
      var remaining = reading.countedPermissions(answers, permissionEvents)
      while remaining != 0 {
        let permission = remaining.trailingZeroBitCount
        remaining &= remaining - 1
        let outcome = answers.outcome(of: permission, permissionEvents[permission])
        self.contribute(permission, permissionEvents[permission], outcome: outcome, into: &contribution)
      }
    }
  }

  // Without a pre-prompt, their segment and the end of their window are unknown.
  /// Whether to count unprimed groups.
  var countsUnprimed: Bool { query.hasOneSegment && !query.clock.countsClosedOnly }

  private func contributeUnprimed(_ unprimed: UInt64, into contribution: inout Contribution) {
    guard unprimed != 0, countsUnprimed else { return }
    contribution.beginSection(at: 0)
    var remaining = unprimed
    while remaining != 0 {
      contribution.count(ids.unprimed(remaining.trailingZeroBitCount))
      remaining &= remaining - 1
    }
  }

  private func contribute(
    _ permission: Int, _ events: PermissionEvents, outcome: GrantOutcome?, into contribution: inout Contribution
  ) {
    contribution.beginSection(at: events.prompt)
    contribution.count(ids.prompted(permission))
    contribution.count(ids.promptedOpen(permission), .ifOpen)
    guard let outcome else {
      contribution.count(ids.outcome(.unanswered, of: permission), .ifClosed)
      contribution.count(ids.outcome(.inProgress, of: permission), .ifOpen)
      return
    }
    contribution.count(ids.outcome(outcome, of: permission))
    if let first = events.firstDecision {
      if outcome == .granted { contribution.count(ids.grantedOpen(permission), .ifOpen) }
      if events.isRecovered {
        contribution.count(ids.recovered(permission))
        if events.isDecidedInSettings, let counter = ids.recoveredViaSettings(permission) { contribution.count(counter) }
      }
      contribution.time(ids.decisionTime(permission), from: events.prompt, to: first.event)
    }
  }
}
