public import FunnelHistories
public import FunnelModel

/// Counts how many groups lack the keys of a query at their anchor, and have them later.
///
/// A breakdown by a key that arrives after the first event has most groups under no value, which looks like a fact about them.
public final class KeyCoverageProjector: Projector {
  public static let readsChain = true

  private let query: FlowQuery
  private let ids: KeyCoverageCounterIDs

  public init(_ query: FlowQuery) {
    self.query = query
    ids = KeyCoverageCounterIDs(query)
  }

  public var counterCount: Int { ids.counterCount }
  public var durationCount: Int { 0 }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, into contribution: inout Contribution
  ) {
    guard chain.isCounted else { return }
    contribution.beginSection(at: chain.anchor, isUnconditional: true)
    let isCompleted = query.matcher.ending(of: events, along: chain) == .completed
    noteSteps(of: events, along: chain, in: &contribution)
    contribution.noteCoverage(0, anchor: chain.anchor, isCompleted: isCompleted)
  }

  /// Notes the events that provide the values of each step, in the order of the steps.
  private func noteSteps(
    of events: UnsafeBufferPointer<FlowEvent>, along chain: ChainMatch, in contribution: inout Contribution
  ) {
    guard !query.segments.anchorKeys.isEmpty else { return }
    for step in query.flow.steps.indices {
      guard let found = query.matcher.stepEvents(ofStep: step, in: events, along: chain, contribution) else { continue }
      contribution.noteCoverage(ofStep: step, event: found.match)
      if let completion = found.completion { contribution.noteCoverage(ofStep: step, event: completion) }
    }
  }

  public func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    [KeyCoverage(query, segments.whole, from: 0)]
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
    /// Those of them that have it at the event that matched a step, or at the step's first completion, by step of the flow.
    public let laterAtSteps: [Int]
  }

  public let flow: FlowDefinition
  /// The permission whose first pre-prompt is looked at, or nil if it is the anchor of the chain.
  public let permission: String?
  /// The groups for which the query's conditions hold, apart from those on the values of steps.
  public let entered: Int
  /// Those of them that completed the flow.
  public let completed: Int
  public let keys: [Key]
  /// The ids of the steps whose values the query asks for.
  public let steps: [String]

  /// Reads the counts of a flow version that begin at a counter (``KeyCoverageCounterIDs``).
  package init(
    _ query: FlowQuery, _ counts: SegmentCounts, from base: Int, permission: String? = nil
  ) {
    let ids = KeyCoverageCounterIDs(query)
    flow = query.flow
    self.permission = permission
    entered = counts[base + ids.entered]
    completed = counts[base + ids.completed]
    keys = query.segments.anchorKeys.enumerated().map { index, key in
      Key(
        key: key, groups: counts[base + ids.groups(index)], absent: counts[base + ids.absent(index)],
        later: counts[base + ids.later(index)],
        laterAtSteps: query.flow.steps.indices.map { counts[base + ids.later(index, at: $0)] })
    }
    steps = query.segments.steps
  }
}
