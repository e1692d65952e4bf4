public import FunnelHistories
public import FunnelModel

/// Counts how many groups lack the keys of a query at their anchor, and have them later.
///
/// A breakdown by a key that arrives after the first event has most groups under no value, which looks like a fact about them.
public final class KeyCoverageProjector: Projector {
  public static let readsChain = true

  private let query: FlowQuery
  private let slots: KeyCoverageSlots

  public init(_ query: FlowQuery) {
    self.query = query
    slots = KeyCoverageSlots(stepCount: query.flow.steps.count, keyCount: query.segments.anchorKeys.count)
  }

  public var counterCount: Int { slots.counterCount }
  public var durationCount: Int { 0 }

  public func outline(
    _ events: UnsafeBufferPointer<JourneyEvent>, along chain: ChainMatch, into outline: inout Outline
  ) {
    guard chain.isCounted else { return }
    outline.beginPart(at: chain.anchor, isUnconditional: true)
    let isCompleted = query.matcher.ending(of: events, along: chain) == .completed
    outline.noteCoverage(0, anchor: chain.anchor, isCompleted: isCompleted)
  }

  public func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    let counts = segments.whole
    let keys = query.segments.anchorKeys.enumerated().map { index, key in
      KeyCoverage.Key(
        key: key, groups: counts[slots.groups(index)], absent: counts[slots.absent(index)],
        later: counts[slots.later(index)],
        laterAtSteps: query.flow.steps.indices.map { counts[slots.later(index, at: $0)] })
    }
    return [
      KeyCoverage(
        flow: query.flow, entered: counts[slots.entered], completed: counts[slots.completed], keys: keys,
        steps: query.segments.steps)
    ]
  }
}

/// How many groups of a flow version have the keys of a query.
public struct KeyCoverage: Hashable, Sendable {
  /// A key that groups are asked for at their anchor.
  public struct Key: Hashable, Sendable {
    public let key: Dimension
    /// The groups for which the query's conditions on other keys hold.
    public let groups: Int
    /// Those of them whose anchor lacks the key.
    public let absent: Int
    /// Those of them that have it at a later event within the window.
    public let later: Int
    /// Those of them whose first such event enters a step, by step of the flow.
    public let laterAtSteps: [Int]
  }

  public let flow: FlowDefinition
  /// The groups for which the query's conditions hold, apart from those on the values of steps.
  public let entered: Int
  /// Those of them that completed the flow.
  public let completed: Int
  public let keys: [Key]
  /// The ids of the steps whose values the query asks for.
  public let steps: [String]
}
