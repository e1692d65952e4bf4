import FunnelModel
public import FunnelProjections

extension GrantsProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from segments: SegmentedCounts) -> [GrantRow] {
    permissions.indices.flatMap { permission in
      let unprimed = countsUnprimed ? segments.whole[ids.unprimed(permission)] : nil
      var asked = segments.sized(by: ids.prompted(permission))
      // A permission whose system dialog always comes without a pre-prompt must still have a row.
      if asked.isEmpty, let unprimed, unprimed > 0 { asked = [segments.whole] }
      return asked.map { row(of: permission, from: $0, unprimed: unprimed) }
    }
  }

  private func row(of permission: Int, from counts: SegmentCounts, unprimed: Int?) -> GrantRow {
    func count(_ outcome: GrantOutcome) -> Int { counts[ids.outcome(outcome, of: permission)] }
    let prompted = counts[ids.prompted(permission)]
    return GrantRow(
      key: RowKey(flow: flow, segment: counts.segment),
      title: flow.title,
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
      recovered: counts[ids.recovered(permission)],
      unprimed: unprimed,
      grantRate: Rate(count(.granted), of: prompted),
      accessRate: Rate(count(.granted) + count(.limited) + count(.provisional), of: prompted),
      dialogGrantRate: Rate(count(.granted), of: count(.granted) + count(.limited) + count(.denied)),
      closed: closed(permission, from: counts),
      decisionTime: counts.quantiles(of: ids.decisionTime(permission)),
      recoveredViaSettings: ids.recoveredViaSettings(permission).map { counts[$0] })
  }

  private func closed(_ permission: Int, from counts: SegmentCounts) -> ClosedGrants {
    let prompted = counts[ids.prompted(permission)] - counts[ids.promptedOpen(permission)]
    let granted = counts[ids.outcome(.granted, of: permission)] - counts[ids.grantedOpen(permission)]
    return ClosedGrants(prompted: prompted, granted: granted, grantRate: Rate(granted, of: prompted))
  }
}
