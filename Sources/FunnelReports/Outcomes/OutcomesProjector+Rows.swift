import FunnelModel
public import FunnelProjections

extension OutcomesProjector {
  public func rows(from segments: SegmentedCounts) -> [OutcomesRow] {
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

  private func row(of number: Int, from counts: SegmentCounts, decided: Int) -> OutcomeRow {
    let outcome = query.flow.outcomes[number]
    let details = counts.values(of: ids.details(of: number)).sorted
    let amounts = counts.values(of: ids.amounts(of: number)).sorted
    return OutcomeRow(
      id: outcome.name, label: outcome.label, isSuccess: outcome.isSuccess, count: counts[ids.count(of: number)],
      decided: decided, time: counts.quantiles(of: number),
      details: detailKeys[number].enumerated().map { index, key in
        var counts: [String: Int] = [:]
        for (values, count) in details {
          let value = values[index]
          counts[value == .null ? "(none)" : text(of: value, of: key), default: 0] += count
        }
        return OutcomeDetail(key: key, counts: NamedCount.sorted(counts))
      },
      amounts: outcome.values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { unit in
        let sum = amounts.reduce(ExactDecimal.zero) { sum, entry in
          let amount = outcome.amount(in: unit) { self.amountValue(of: $0, of: number, in: entry.values) }
          return sum + (amount ?? .zero) * entry.count
        }
        // An amount that depends on no property is computed from the count.
        guard amountKeys[number].isEmpty else { return OutcomeAmount(unit: unit, sum: sum) }
        let each = outcome.amount(in: unit) { _ in .null } ?? .zero
        return OutcomeAmount(unit: unit, sum: each * counts[ids.count(of: number)])
      })
  }

  private func amountValue(of key: String, of outcome: Int, in values: [PropertyValue]) -> PropertyValue {
    amountKeys[outcome].firstIndex(of: key).map { values[$0] } ?? .null
  }

  /// Returns the text of a property's value, as in a segment.
  private func text(of value: PropertyValue, of key: String) -> String {
    value.segmentValue(isText: query.flow.isVersion(.property(key))).description
  }
}
