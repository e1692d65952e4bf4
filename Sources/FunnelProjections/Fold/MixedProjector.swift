public import FunnelHistories
public import FunnelModel

/// Counts, in each segment, the groups whose events have several values of a key that groups are split by.
///
/// They count in the segment of their anchor, but met another one too: who saw both variants tells little about either.
public final class MixedProjector: Projector {
  public static let readsChain = true

  private let query: FlowQuery
  private let entered = 0
  private let mixed = 1

  public init(_ query: FlowQuery) {
    self.query = query
  }

  public var counterCount: Int { 2 }
  public var durationCount: Int { 0 }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution
  ) {
    guard chain.isCounted else { return }
    contribution.beginSection(at: chain.anchor)
    contribution.count(entered)
    contribution.noteMixed(mixed, anchor: chain.anchor)
  }

  public func rows(from segments: SegmentedCounts) -> [MixedGroups] {
    segments.sized(by: entered).map {
      MixedGroups(flow: query.flow, segment: $0.segment, entered: $0[entered], mixed: $0[mixed])
    }
  }
}

/// The groups of one segment that have several values of a key that groups are split by.
public struct MixedGroups: Hashable, Sendable {
  public let flow: FlowDefinition
  public let segment: Segment
  /// All groups of the segment.
  public let entered: Int
  /// Those of them with several values in their events from the anchor on within the window.
  public let mixed: Int
}
