extension FunnelRow: ReportRow {
  public var groups: Int { entered }
}

extension FunnelRow {
  /// Returns the sums of rows that differ only in their last dimensions. The sums have no steps and no rates.
  static func summed(_ rows: [FunnelRow], withoutLast count: Int) -> [FunnelRow] {
    var sums: [FunnelRow] = []
    var indexOfKey: [RowKey: Int] = [:]
    for row in rows {
      var key = row.key
      key.segment.removeLast(count)
      guard let index = indexOfKey[key] else {
        indexOfKey[key] = sums.count
        var sum = row
        sum.key = key
        sum.conversion = nil
        sum.closed = ClosedConversion()
        sum.steps = []
        sums.append(sum)
        continue
      }
      sums[index].entered += row.entered
      sums[index].completed += row.completed
      sums[index].inProgress += row.inProgress
      sums[index].dropped += row.dropped
      sums[index].finishedOutOfOrder += row.finishedOutOfOrder
      sums[index].inProgressOutOfOrder += row.inProgressOutOfOrder
    }
    return sums
  }

  /// Whether many groups are in progress. The conversion is then not final.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// The denominator of each step's share of the previous step: the groups that reached the last required step
  /// before it.
  var previousReached: [Int] {
    var previous = entered
    return steps.map { step in
      defer { if !step.isOptional, let reached = step.reached { previous = reached } }
      return previous
    }
  }
}
