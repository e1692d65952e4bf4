import FunnelModel
public import FunnelProjections

extension GrantsProjector {
  private var flow: FlowDefinition { query.flow }

  public func rows(from sheets: Sheets) -> [GrantRow] {
    permissions.indices.flatMap { permission in
      let unprimed = countsUnprimed ? sheets.whole[slots.unprimed(permission)] : nil
      var asked = sheets.sized(by: slots.prompted(permission))
      // A permission whose system dialog always comes without a pre-prompt must still have a row.
      if asked.isEmpty, let unprimed, unprimed > 0 { asked = [sheets.whole] }
      return asked.map { row(of: permission, from: $0, unprimed: unprimed) }
    }
  }

  private func row(of permission: Int, from sheet: Sheet, unprimed: Int?) -> GrantRow {
    func count(_ outcome: GrantOutcome) -> Int { sheet[slots.outcome(outcome, of: permission)] }
    let prompted = sheet[slots.prompted(permission)]
    let access = count(.granted) + count(.limited)
    return GrantRow(
      key: RowKey(flow: flow, segment: sheet.segment),
      title: flow.title,
      permission: permissions[permission].name,
      note: permissions[permission].note,
      prompted: prompted,
      granted: count(.granted),
      limited: count(.limited),
      denied: count(.denied),
      skipped: count(.skipped),
      unanswered: count(.unanswered),
      inProgress: count(.inProgress),
      recovered: sheet[slots.recovered(permission)],
      unprimed: unprimed,
      grantRate: Rate(count(.granted), of: prompted),
      accessRate: Rate(access, of: prompted),
      dialogGrantRate: Rate(count(.granted), of: access + count(.denied)),
      closed: closed(permission, from: sheet),
      decisionTime: sheet.quantiles(of: slots.decisionTime(permission)))
  }

  private func closed(_ permission: Int, from sheet: Sheet) -> ClosedGrants {
    let prompted = sheet[slots.prompted(permission)] - sheet[slots.promptedOpen(permission)]
    let granted = sheet[slots.outcome(.granted, of: permission)] - sheet[slots.grantedOpen(permission)]
    return ClosedGrants(prompted: prompted, granted: granted, grantRate: Rate(granted, of: prompted))
  }
}
