package import FunnelHistories
import FunnelModel
package import FunnelProjections

/// Counts the groups that lack the keys of a query at the first pre-prompt of each permission, and those that
/// have them later.
///
/// The segments of grant rates are the values at the pre-prompt, not those at the anchor of the flow.
package final class GrantCoverageProjector: Projector {
  package static let readsChain = false

  private let query: FlowQuery
  private let reading: PermissionReading
  /// The number of counters of each permission.
  private let countersOfPermission: Int

  package init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    countersOfPermission = KeyCoverageCounterIDs(query).counterCount
  }

  package var counterCount: Int { reading.permissions.count * countersOfPermission }
  package var durationCount: Int { 0 }

  package func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution
  ) {
    guard !reading.permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, permissionEvents in
      let counted = reading.countedPermissions(answers, permissionEvents)
      for permission in reading.permissions.indices where counted >> UInt64(permission) & 1 == 1 {
        let prompt = permissionEvents[permission].prompt
        contribution.beginSection(at: prompt, isUnconditional: true)
        contribution.noteCoverage(permission * countersOfPermission, anchor: prompt, isCompleted: false)
      }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    reading.permissions.enumerated().map { index, permission in
      KeyCoverage(query, segments.whole, from: index * countersOfPermission, permission: permission.name)
    }
  }
}
