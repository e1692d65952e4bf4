package import FunnelSequences
package import FunnelModel

/// Counts the groups whose events have several values of the key that groups are split by, in each segment.
///
/// Such a group is counted in the segment of its anchor, although it has events of another segment. In an experiment,
/// a subject who saw both variants is evidence for neither.
package final class MixedProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  /// The counter IDs.
  private let entered = 0
  private let mixed = 1

  package init(_ query: FlowQuery) {
    self.query = query
  }

  package var counterCount: Int { 2 }
  package var durationCount: Int { 0 }

  package func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard chain.isCounted else { return }
    contribution.beginSection(at: chain.anchor)
    contribution.count(entered)
    contribution.noteMixed(mixed, anchor: chain.anchor)
  }

  package func rows(from segments: SegmentedCounts) -> [MixedGroups] {
    segments.sized(by: entered).map {
      MixedGroups(flow: query.flow, segment: $0.segment, entered: $0[entered], mixed: $0[mixed])
    }
  }
}

/// The number of groups of one segment that have several values of the key that groups are split by.
package struct MixedGroups: Hashable, Sendable {
  package let flow: FlowDefinition
  package let segment: Segment
  /// The number of groups in the segment.
  package let entered: Int
  /// The number of these groups whose events have several values, from the anchor on and within the window.
  package let mixed: Int
}
