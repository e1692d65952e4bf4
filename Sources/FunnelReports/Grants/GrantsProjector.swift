public import FunnelHistories
import FunnelModel
public import FunnelProjections

/// Counts how groups answer each permission a flow asks for (specification section 3).
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
    reading.withAnswers(in: events) { answers, runs in
      contributeUnprimed(answers.unprimed, into: &contribution)
      var rest = reading.countedPermissions(answers, runs)
      while rest != 0 {
        let permission = rest.trailingZeroBitCount
        rest &= rest - 1
        self.contribute(
          permission, runs[permission], outcome: answers.outcome(of: permission, runs[permission]), into: &contribution)
      }
    }
  }

  /// Whether unprimed groups are counted. They have no pre-prompt to determine their segment, or when their window closes, so they are
  /// counted only if there is one segment, whether closed or not.
  var countsUnprimed: Bool { query.hasOneSegment && !query.clock.countsClosedOnly }

  private func contributeUnprimed(_ unprimed: UInt64, into contribution: inout Contribution) {
    guard unprimed != 0, countsUnprimed else { return }
    contribution.beginSection(at: 0)
    var rest = unprimed
    while rest != 0 {
      contribution.count(ids.unprimed(rest.trailingZeroBitCount))
      rest &= rest - 1
    }
  }

  private func contribute(
    _ permission: Int, _ run: PermissionEvents, outcome: GrantOutcome?, into contribution: inout Contribution
  ) {
    contribution.beginSection(at: run.prompt)
    contribution.count(ids.prompted(permission))
    contribution.count(ids.promptedOpen(permission), .ifOpen)
    guard let outcome else {
      contribution.count(ids.outcome(.unanswered, of: permission), .ifClosed)
      contribution.count(ids.outcome(.inProgress, of: permission), .ifOpen)
      return
    }
    contribution.count(ids.outcome(outcome, of: permission))
    if let first = run.firstDecision {
      if outcome == .granted { contribution.count(ids.grantedOpen(permission), .ifOpen) }
      if run.isRecovered {
        contribution.count(ids.recovered(permission))
        if run.isDecidedInSettings, let counter = ids.recoveredViaSettings(permission) { contribution.count(counter) }
      }
      contribution.time(ids.decisionTime(permission), from: run.prompt, to: first.event)
    }
  }
}
