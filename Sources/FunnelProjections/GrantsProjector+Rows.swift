import FunnelJourneys
import FunnelModel

extension GrantsProjector {
  public func rows(from state: State) -> [GrantRow] {
    rows(from: state.counts, in: state.segments)
  }

  func rows(from counts: GrantCounts, in segments: SegmentIndex) -> [GrantRow] {
    permissions.indices.flatMap { permission in
      let unprimed = question.isWhole ? counts.unprimed[permission] : nil
      let rows = counts.permissions[permission].ordered(in: segments).map { segment, cell in
        row(of: permissions[permission], in: segment, cell: cell, unprimed: unprimed)
      }
      // A system dialog that always comes without its pre-prompt must not vanish from the report.
      guard rows.isEmpty, let unprimed, unprimed > 0 else { return rows }
      return [row(of: permissions[permission], in: Segment(values: []), cell: GrantCell(), unprimed: unprimed)]
    }
  }

  private func row(of permission: PermissionPlace, in segment: Segment, cell: GrantCell, unprimed: Int?) -> GrantRow {
    let prompted = cell.groupCount
    let access = cell[.granted] + cell[.limited]
    return GrantRow(
      key: RowKey(flow: flow, segment: segment),
      title: flow.title,
      permission: permission.name,
      note: permission.note,
      prompted: prompted,
      granted: cell[.granted],
      limited: cell[.limited],
      denied: cell[.denied],
      skipped: cell[.skipped],
      unanswered: cell[.unanswered],
      inProgress: cell[.inProgress],
      recovered: cell.recovered,
      unprimed: unprimed,
      grantRate: Rate(cell[.granted], of: prompted),
      accessRate: Rate(access, of: prompted),
      dialogGrantRate: Rate(cell[.granted], of: access + cell[.denied]),
      decisionTime: cell.decisionTimes.quantiles)
  }
}
