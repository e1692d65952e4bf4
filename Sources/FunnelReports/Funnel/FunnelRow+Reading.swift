extension FunnelRow: ReportRow {
  public var groups: Int { entered }
}

extension FunnelRow {
  /// Whether so many groups are under way that the conversion is not final.
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
