public import FunnelHistories

/// A report as a pure fold over the groups of one flow version.
///
/// A projector says what one group counts for, and makes rows of the sums. It depends on nothing but the flow, the query and the group: no
/// clock, no files, no locale. The sums of disjoint groups merge associatively and commutatively, so the same projector runs on one
/// thread, on all cores and on many machines.
///
/// A projector numbers its counters and durations from 0. The fold of several projectors gives each a range of its own (``FlowProjection``).
public protocol Projector: Sendable {
  /// One row of the report.
  associatedtype Row: Sendable

  /// Whether the counts depend on the chain of required steps. If it is false for all projectors of a fold, matching is skipped.
  static var readsChain: Bool { get }

  /// Creates the projector of a query about one flow version.
  init(_ query: FlowQuery)

  /// The number of counters of a segment.
  var counterCount: Int { get }
  /// The number of durations of a segment.
  var durationCount: Int { get }

  /// Adds what a group counts for to an outline.
  ///
  /// Outlines are cached (``OutlineCache``). Two groups with equal sequences of event kinds must therefore have equal outlines, unless the
  /// window or the time range cuts one of them short. So an outline may depend on the order and the meaning of the events, and on their
  /// times only by comparing them with ``FlowQuery/clock`` and ``FlowQuery/span``.
  ///
  /// - Parameters:
  ///   - events: The events of the group in order, at least one.
  ///   - chain: The matched chain; of level 0 if the group has no anchor, or if no projector reads it.
  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, along chain: ChainMatch, into outline: inout Outline)

  /// Returns the rows of the report, one for each segment (and permission), in the order of ``SegmentedCounts/sized(by:)``.
  func rows(from segments: SegmentedCounts) -> [Row]
}
