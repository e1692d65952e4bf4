extension FunnelRow: ReportRow {
  public var groups: Int { entered }
}

extension FunnelRow {
  /// Returns the counts of rows without their last dimensions: the sum of the rows that agree in the others. Steps and rates are not summed.
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

  /// Whether so many groups are in progress that the conversion is not final.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// For each step, the number of groups that its share of the previous step refers to: those that reached the last required step
  /// before it.
  var previousReached: [Int] {
    var previous = entered
    return steps.map { step in
      defer { if !step.isOptional, let reached = step.reached { previous = reached } }
      return previous
    }
  }
}
