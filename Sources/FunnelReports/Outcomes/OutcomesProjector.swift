package import FunnelModel
package import FunnelProjections

/// Counts the outcomes of groups, in flows with outcomes (specification section 7).
package final class OutcomesProjector: Projector {
  package static let readsChain = true

  private let query: FlowQuery
  let ids: OutcomeCounterIDs
  /// The properties of the outcome event by which each outcome is broken down.
  private let detailKeys: [[String]]
  /// The properties on which the amounts of each outcome depend. If the outcome event lacks a property, the
  /// last earlier value is used.
  private let amountKeys: [[String]]

  package static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    for outcome in flow.outcomes {
      for key in flow.detailKeys(of: outcome) + outcome.valueKeys where !needs.dimensions.contains(.property(key)) {
        needs.dimensions.append(.property(key))
      }
    }
    return needs
  }

  package init(_ query: FlowQuery) {
    self.query = query
    detailKeys = query.flow.outcomes.map { query.flow.detailKeys(of: $0) }
    amountKeys = query.flow.outcomes.map(\.valueKeys)
    ids = OutcomeCounterIDs(outcomeCount: query.flow.outcomes.count)
  }

  package var counterCount: Int { ids.counterCount }
  /// The number of durations: the time from the anchor to each outcome.
  package var durationCount: Int { query.flow.outcomes.count }
  package var valueKeys: [[Dimension]?] { (detailKeys + amountKeys).map { $0.map(Dimension.property) } }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted, !query.flow.outcomes.isEmpty else { return }
    contribution.beginSection(at: match.anchor)
    contribution.count(ids.entered)
    // The anchor itself may be an outcome, such as a purchase that is restored without a paywall.
    var last: Int?
    var index = match.anchor
    while index < events.count, events.isInWindow(index, from: match.anchor) {
      if events[index].outcome != nil {
        if last != nil { contribution.count(ids.retries) }
        last = index
      }
      index += 1
    }
    guard let last, let outcome = events[last].outcome else {
      contribution.count(ids.none, .ifClosed)
      contribution.count(ids.inProgress, .ifOpen)
      return
    }
    contribution.count(ids.outcomes[outcome])
    contribution.time(outcome, from: match.anchor, to: last)
    if !detailKeys[outcome].isEmpty { contribution.noteValues(ids.details[outcome], of: last) }
    if !amountKeys[outcome].isEmpty { contribution.noteValues(ids.amounts[outcome], of: last, soFar: true) }
  }
}

// MARK: - Rows

extension OutcomesProjector {
  package func rows(from segments: SegmentedCounts) -> [OutcomesRow] {
    let flow = query.flow
    return segments.sized(by: ids.entered).map { counts in
      let entered = counts[ids.entered]
      let decided = entered - counts[ids.inProgress]
      return OutcomesRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: entered,
        inProgress: counts[ids.inProgress], none: counts[ids.none], retries: counts[ids.retries],
        outcomes: flow.outcomes.indices.map { row(of: $0, from: counts, decided: decided) })
    }
  }

  private func row(of index: Int, from counts: SegmentCounts, decided: Int) -> OutcomeRow {
    let outcome = query.flow.outcomes[index]
    return OutcomeRow(
      id: outcome.name, label: outcome.label, isSuccess: outcome.isSuccess, count: counts[ids.outcomes[index]],
      decided: decided, time: counts.quantiles(of: index), details: details(of: index, from: counts),
      amounts: amounts(of: index, from: counts))
  }

  private func details(of index: Int, from counts: SegmentCounts) -> [OutcomeDetail] {
    let combinations = counts.values(of: ids.details[index]).sorted
    return detailKeys[index].enumerated().map { position, key in
      var counts: [String: Int] = [:]
      for (values, count) in combinations {
        let value = values[position]
        counts[value == .null ? NamedCount.noValue : text(of: value, of: key), default: 0] += count
      }
      return OutcomeDetail(key: key, counts: NamedCount.sorted(counts))
    }
  }

  /// Returns the sums of the amounts of an outcome, in the byte order of their units.
  private func amounts(of index: Int, from counts: SegmentCounts) -> [OutcomeAmount] {
    let outcome = query.flow.outcomes[index]
    let combinations = counts.values(of: ids.amounts[index]).sorted
    return outcome.values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { unit in
      // An amount that depends on no property is computed from the count.
      guard !amountKeys[index].isEmpty else {
        let each = outcome.amount(in: unit) { _ in .null } ?? .zero
        return OutcomeAmount(unit: unit, sum: each * counts[ids.outcomes[index]])
      }
      let sum = combinations.reduce(ExactDecimal.zero) { sum, entry in
        let amount = outcome.amount(in: unit) { self.amountValue(of: $0, of: index, in: entry.values) }
        return sum + (amount ?? .zero) * entry.count
      }
      return OutcomeAmount(unit: unit, sum: sum)
    }
  }

  private func amountValue(of key: String, of outcome: Int, in values: [PropertyValue]) -> PropertyValue {
    amountKeys[outcome].firstIndex(of: key).map { values[$0] } ?? .null
  }

  /// Returns the text of a property's value, as in a segment.
  private func text(of value: PropertyValue, of key: String) -> String {
    value.segmentValue(isText: query.flow.isVersion(.property(key))).description
  }
}

/// The counter IDs and value IDs of an outcomes report.
struct OutcomeCounterIDs: Sendable {
  let entered: Int
  let inProgress: Int
  let none: Int
  /// The outcome events that are followed by another one. It counts events, not groups.
  let retries: Int
  /// The groups with each outcome.
  let outcomes: CounterBlock
  let counterCount: Int

  /// The values by which each outcome is broken down.
  let details: CounterBlock
  /// The values that the amounts of each outcome depend on.
  let amounts: CounterBlock

  init(outcomeCount: Int) {
    var counters = CounterLayout()
    entered = counters.counter()
    inProgress = counters.counter()
    none = counters.counter()
    retries = counters.counter()
    outcomes = counters.block(outcomeCount)
    counterCount = counters.count
    var values = CounterLayout()
    details = values.block(outcomeCount)
    amounts = values.block(outcomeCount)
  }
}
