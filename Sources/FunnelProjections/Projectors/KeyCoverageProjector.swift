package import FunnelModel

/// Counts the groups whose anchors lack a key of the query, and those of them that have the key at a later event.
///
/// A report warns about such keys. If a property is only sent with later events, a breakdown by it has most groups
/// without a value.
package final class KeyCoverageProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  private let ids: KeyCoverageCounterIDs

  package init(_ query: FlowQuery) {
    self.query = query
    ids = KeyCoverageCounterIDs(query)
  }

  package var counterCount: Int { ids.counterCount }
  package var durationCount: Int { 0 }

  package func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard chain.isCounted else { return }
    contribution.beginSection(at: chain.anchor, isUnconditional: true)
    let isCompleted = query.matcher.ending(of: events, along: chain) == .completed
    noteSteps(of: events, along: chain, in: &contribution)
    contribution.noteCoverage(0, anchor: chain.anchor, isCompleted: isCompleted)
  }

  /// Adds the events that provide the values of each step, in the order of the steps.
  private func noteSteps(of events: GroupEvents, along chain: ChainMatch, in contribution: inout Contribution) {
    guard !query.segments.anchorKeys.isEmpty else { return }
    for step in query.flow.steps.indices {
      guard let found = query.matcher.stepEvents(ofStep: step, in: events, along: chain) else { continue }
      contribution.noteCoverage(ofStep: step, event: found.match)
      if let completion = found.completion { contribution.noteCoverage(ofStep: step, event: completion) }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [KeyCoverage] {
    [KeyCoverage(query, segments.whole, from: 0)]
  }
}

/// The numbers of groups of a flow version that have the keys of a query.
package struct KeyCoverage: Hashable, Sendable {
  /// The coverage of one key whose values are read at the anchor.
  package struct Key: Hashable, Sendable {
    package let key: Dimension
    /// The number of groups for which the query's conditions on everything but the key hold.
    package let groups: Int
    /// The number of ``groups`` whose anchor lacks the key.
    package let absent: Int
    /// The number of ``absent`` groups that have the key at a later event within the window.
    package let later: Int
    /// The number of ``later`` groups that have the key at the match of a step or at its first completion, by index
    /// of the step.
    package let laterAtSteps: [Int]
  }

  package let flow: FlowDefinition
  /// The permission whose first pre-prompt is used as anchor, or `nil` if it is the anchor of the chain.
  package let permission: String?
  /// The number of groups for which the query's conditions hold, except those on values of steps.
  package let entered: Int
  /// The number of ``entered`` groups that completed the flow.
  package let completed: Int
  /// The coverage of each key, in the order of the query.
  package let keys: [Key]
  /// The IDs of the steps whose values the query uses.
  package let steps: [String]

  /// Creates the coverage from counters.
  ///
  /// - Parameters:
  ///   - base: The counter ID at which the counters start (``KeyCoverageCounterIDs``).
  ///   - permission: The permission whose first pre-prompt was used as anchor, or `nil` for the anchor of the chain.
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
