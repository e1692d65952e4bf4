public import FunnelHistories
public import FunnelModel
public import FunnelProjections

/// Counts the outcomes of groups, in flows with outcomes (specification section 7).
public final class OutcomesProjector: Projector {
  public static let readsChain = true

  let query: FlowQuery
  let ids: OutcomeCounterIDs
  /// The properties of the outcome event by which each outcome is broken down.
  let detailKeys: [[String]]
  /// The properties on which the amounts of each outcome depend. If the outcome event lacks a property, the
  /// last earlier value is used.
  let amountKeys: [[String]]

  public static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    for outcome in flow.outcomes {
      for key in flow.detailKeys(of: outcome) + outcome.valueKeys where !needs.dimensions.contains(.property(key)) {
        needs.dimensions.append(.property(key))
      }
    }
    return needs
  }

  public init(_ query: FlowQuery) {
    self.query = query
    detailKeys = query.flow.outcomes.map { query.flow.detailKeys(of: $0) }
    amountKeys = query.flow.outcomes.map(\.valueKeys)
    ids = OutcomeCounterIDs(outcomeCount: query.flow.outcomes.count)
  }

  public var counterCount: Int { ids.counterCount }
  /// The number of durations: the time from the anchor to each outcome.
  public var durationCount: Int { ids.outcomeCount }
  public var valueKeys: [[Dimension]?] { (detailKeys + amountKeys).map { $0.map(Dimension.property) } }

  public func contribute(
    _ events: UnsafeBufferPointer<FlowEvent>, along match: ChainMatch, into contribution: inout Contribution
  ) {
    guard match.isCounted, ids.outcomeCount > 0 else { return }
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    // The anchor itself may be an outcome, such as a purchase that is restored without a paywall.
    var last: Int?
    var index = match.anchor
    while index < events.count, events[index].milliseconds <= match.deadline {
      if events[index].kind.outcome != EventClass.other.outcome {
        if last != nil { contribution.count(ids.retries) }
        last = index
      }
      index += 1
    }
    guard let last else {
      contribution.count(ids.none, .ifClosed)
      contribution.count(ids.inProgress, .ifOpen)
      return
    }
    let outcome = Int(events[last].kind.outcome)
    contribution.count(ids.count(of: outcome))
    contribution.time(outcome, from: match.anchor, to: last)
    if !detailKeys[outcome].isEmpty { contribution.noteValues(ids.details(of: outcome), of: last) }
    if !amountKeys[outcome].isEmpty { contribution.noteValues(ids.amounts(of: outcome), of: last, soFar: true) }
  }
}

/// The counter IDs and value IDs of an outcomes report.
struct OutcomeCounterIDs: Sendable {
  let outcomeCount: Int

  let entered = 0
  let inProgress = 1
  let none = 2
  /// The counter of outcome events that are followed by another one. It counts events, not groups.
  let retries = 3
  private let outcomeBase = 4
  /// Returns the counter of groups with an outcome.
  func count(of outcome: Int) -> Int { outcomeBase + outcome }
  var counterCount: Int { outcomeBase + outcomeCount }

  /// Returns the ID of the values by which an outcome is broken down.
  func details(of outcome: Int) -> Int { outcome }
  /// Returns the ID of the values that the amounts of an outcome depend on.
  func amounts(of outcome: Int) -> Int { outcomeCount + outcome }
}
