extension DropoffRow: ReportRow {
  public var groups: Int { entered }
}

extension DropoffRow {
  /// Whether many groups are in progress. Shares of all groups then underestimate the final drop-off.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// The number of groups whose window has closed. All of them reached the first step.
  var closedEntered: Int { steps.first?.closed.reached ?? 0 }

  /// The number of groups that dropped and whose window has closed.
  var closedDropped: Int { steps.reduce(0) { $0 + $1.closed.dropped } }
}

extension DropoffStepRow {
  /// Returns the share of the groups that reached the step and dropped there, and its denominator.
  ///
  /// - Parameter isClosed: Whether to include only groups whose window has closed.
  func share(ofClosed isClosed: Bool) -> (share: Double?, of: Int) {
    isClosed ? (closed.share, closed.reached) : (shareOfReached, reached)
  }
}
