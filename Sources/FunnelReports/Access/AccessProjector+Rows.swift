import FunnelModel
public import FunnelProjections

extension AccessProjector {
  public func rows(from segments: SegmentedCounts) -> [AccessRow] {
    guard !locks.isEmpty else { return [] }
    return segments.sized(by: ids.entered).map { counts in
      AccessRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title, entered: counts[ids.entered],
        features: locks.indices.flatMap { lock in
          locks[lock].lock.features.map { FeatureAccess(feature: $0, answers: answers(lock, in: counts)) }
        },
        hints: locks.indices.compactMap { lock in
          let permission = locks[lock].lock.permission
          let limited = counts[ids.outcome(.limited, of: lock)]
          return query.flow.hint(ofPermission: permission).map { AccessHint(permission: permission, hint: $0, groups: limited) }
        })
    }
  }

  private func answers(_ lock: Int, in counts: SegmentCounts) -> AccessAnswers {
    func count(_ outcome: GrantOutcome) -> Int { counts[ids.outcome(outcome, of: lock)] }
    return AccessAnswers(
      permission: locks[lock].lock.permission, entered: counts[ids.entered], granted: count(.granted),
      limited: count(.limited), provisional: count(.provisional), denied: count(.denied), skipped: count(.skipped),
      unanswered: count(.unanswered),
      inProgress: count(.inProgress), neverAsked: counts[ids.neverAsked(lock)])
  }
}
