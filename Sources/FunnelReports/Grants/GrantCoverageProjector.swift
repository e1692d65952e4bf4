import FunnelModel
package import FunnelProjections

/// Counts the groups that lack the keys of a query at the first pre-prompt of each permission, and those that
/// have them later.
///
/// The segments of grant rates are the values at the pre-prompt, not those at the anchor of the flow.
package final class GrantCoverageProjector: Projector {
  package static let readsChain = false

  private let query: FlowQuery
  private let matcher: PermissionMatcher
  /// The number of counters of each permission.
  private let countersPerPermission: Int

  package init(_ query: FlowQuery) {
    self.query = query
    matcher = PermissionMatcher(query)
    countersPerPermission = KeyCoverageCounterIDs(query).counterCount
  }

  package var counterCount: Int { matcher.permissions.count * countersPerPermission }
  package var durationCount: Int { 0 }

  package func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard !matcher.permissions.isEmpty else { return }
    matcher.withAnswers(in: events) { answers, permissionEvents in
      for permission in answers.counted {
        let prompt = permissionEvents[permission].prompt
        contribution.beginSection(at: prompt, isUnconditional: true)
        contribution.noteCoverage(permission * countersPerPermission, anchor: prompt, isCompleted: false)
      }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    matcher.permissions.enumerated().map { index, permission in
      KeyCoverage(query, segments.whole, from: index * countersPerPermission, permission: permission.name)
    }
  }
}
