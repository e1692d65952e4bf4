import FunnelModel
package import FunnelProjections

/// Counts which groups can use the features that need a permission (specification section 7).
package final class AccessProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  private let locks: [LockedPermission]
  private let ids: AccessCounterIDs
  private let matcher: PermissionMatcher

  /// A permission that locks a feature or has a hint about limited access.
  private struct LockedPermission {
    let name: String
    /// The index in the flow's permissions.
    let index: Int
    /// The features that need the permission.
    let features: [String]
  }

  package init(_ query: FlowQuery) {
    self.query = query
    matcher = PermissionMatcher(query)
    let flow = query.flow
    // A flow without locks has no rows, even if it has hints.
    locks =
      flow.locks.isEmpty
      ? []
      : matcher.permissions.enumerated().compactMap { index, permission in
        let lock = flow.locks.first { $0.permission == permission.name }
        guard lock != nil || flow.hint(ofPermission: permission.name) != nil else { return nil }
        return LockedPermission(name: permission.name, index: index, features: lock?.features ?? [])
      }
    ids = AccessCounterIDs(lockCount: locks.count)
  }

  package var counterCount: Int { ids.counterCount }
  package var durationCount: Int { 0 }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted, !locks.isEmpty else { return }
    matcher.withAnswers(in: events) { answers, permissionEvents in
      contribution.beginSection(at: match.anchor)
      contribution.count(ids.entered)
      for (index, lock) in locks.enumerated() {
        guard answers.prompted.contains(lock.index) else {
          contribution.count(ids.neverAsked[index])
          continue
        }
        if let outcome = answers.outcome(of: lock.index, permissionEvents[lock.index]) {
          contribution.count(ids.outcome(outcome, of: index))
        } else {
          // Whether the request can still be answered depends on the window that starts with it, not with the anchor.
          contribution.beginSection(at: match.anchor, opening: permissionEvents[lock.index].prompt)
          contribution.count(ids.outcome(.unanswered, of: index), .ifClosed)
          contribution.count(ids.outcome(.inProgress, of: index), .ifOpen)
          contribution.beginSection(at: match.anchor)
        }
      }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [AccessRow] {
    guard !locks.isEmpty else { return [] }
    let flow = query.flow
    return segments.sized(by: ids.entered).map { counts in
      AccessRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: counts[ids.entered],
        features: locks.indices.flatMap { lock in
          locks[lock].features.map { FeatureAccess(feature: $0, answers: answers(lock, in: counts)) }
        },
        hints: locks.indices.compactMap { lock in
          let limited = counts[ids.outcome(.limited, of: lock)]
          return flow.hint(ofPermission: locks[lock].name).map {
            AccessHint(permission: locks[lock].name, hint: $0, groups: limited)
          }
        })
    }
  }

  private func answers(_ lock: Int, in counts: SegmentCounts) -> AccessAnswers {
    func count(_ outcome: GrantOutcome) -> Int { counts[ids.outcome(outcome, of: lock)] }
    return AccessAnswers(
      permission: locks[lock].name, entered: counts[ids.entered], granted: count(.granted), limited: count(.limited),
      provisional: count(.provisional), denied: count(.denied), skipped: count(.skipped), unanswered: count(.unanswered),
      inProgress: count(.inProgress), neverAsked: counts[ids.neverAsked[lock]])
  }
}

/// The counter IDs of an access report, by index of the lock.
private struct AccessCounterIDs {
  let entered: Int
  /// The groups that were never asked for the permission.
  let neverAsked: CounterBlock
  private let outcomes: CounterTable
  let counterCount: Int

  init(lockCount: Int) {
    var layout = CounterLayout()
    entered = layout.counter()
    neverAsked = layout.block(lockCount)
    outcomes = layout.table(rows: lockCount, columns: GrantOutcome.allCases.count)
    counterCount = layout.count
  }

  /// Returns the counter of groups with an outcome of the permission of a lock.
  func outcome(_ outcome: GrantOutcome, of lock: Int) -> Int { outcomes[lock, outcome.rawValue] }
}
