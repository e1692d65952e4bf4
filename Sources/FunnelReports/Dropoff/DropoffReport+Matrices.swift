import FunnelModel
import FunnelProjections

extension DropoffReport {
  /// Returns the shares of the groups that dropped off at each step, of those that reached it, by segment.
  static func shareMatrix(of rows: [DropoffRow]) -> DocumentMatrix {
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    return DocumentMatrix(
      title: isClosedShown ? "Dropped, of reached (closed windows)" : "Dropped, of reached",
      labels: rows[0].steps.map { Phrase($0.label) },
      columns: rows.map { row in
        .init(
          segment: row.key.segment,
          cells: row.steps.map { step in
            let (share, whole) = step.share(ofClosed: isClosedShown)
            return .share(share, of: whole)
          })
      })
  }

  /// Returns the steps that groups visited last if they differ from the step of the drop-off, as shares of the dropped groups.
  static func lastStepMatrix(of rows: [DropoffRow]) -> DocumentMatrix {
    let pairs = rows[0].steps.enumerated().flatMap { index, step in
      rows.lastElsewhere(step: index).map { (index: index, label: step.label, last: $0) }
    }
    return DocumentMatrix(
      title: "Last seen on, of dropped",
      labels: pairs.map { Phrase("\($0.label), then \($0.last.label)") },
      columns: rows.map { row in
        .init(
          segment: row.key.segment,
          cells: pairs.map { pair in
            guard pair.index < row.steps.count else { return .empty }
            let step = row.steps[pair.index]
            let groups = step.lastElsewhere.first { $0.id == pair.last.id }?.groups ?? 0
            return .share(step.share(of: LastStep(id: pair.last.id, label: "", groups: groups)), of: step.dropped)
          })
      })
  }
}
