package import FunnelHistories
import FunnelModel
package import FunnelProjections

/// Counts how many groups lack the keys of a query at the first pre-prompt of each permission, and have them later.
///
/// Grant rates are split by the values at the pre-prompt, so what the anchor of the flow has says nothing about them.
package final class GrantCoverageProjector: Projector {
  package static let readsChain = false

  private let query: FlowQuery
  private let reading: PermissionReading
  /// The number of counters of each permission.
  private let slotCount: Int

  package init(_ query: FlowQuery) {
    self.query = query
    reading = PermissionReading(query)
    slotCount = KeyCoverageCounterIDs(query).counterCount
  }

  package var counterCount: Int { reading.permissions.count * slotCount }
  package var durationCount: Int { 0 }

  package func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution
  ) {
    guard !reading.permissions.isEmpty else { return }
    reading.withAnswers(in: events) { answers, runs in
      let counted = reading.countedPermissions(answers, runs)
      for permission in reading.permissions.indices where counted >> UInt64(permission) & 1 == 1 {
        let prompt = runs[permission].prompt
        contribution.beginSection(at: prompt, isUnconditional: true)
        contribution.noteCoverage(permission * slotCount, anchor: prompt, isCompleted: false)
      }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    reading.permissions.enumerated().map { index, permission in
      KeyCoverage(query, segments.whole, from: index * slotCount, permission: permission.name)
    }
  }
}
