extension DropoffRow: ReportRow {
  public var groups: Int { entered }
}

extension DropoffRow {
  /// Whether so many groups are in progress that shares of all of them would look better than they will be.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: entered) }

  /// The number of groups whose window has closed. All of them reached the first step.
  var closedEntered: Int { steps.first?.closed.reached ?? 0 }

  /// The number of groups that dropped and whose window has closed.
  var closedDropped: Int { steps.reduce(0) { $0 + $1.closed.dropped } }
}

extension DropoffStepRow {
  /// Returns the share of the groups that reached the step and dropped there, and the number that it is a share of.
  ///
  /// - Parameter isClosed: Whether only groups count whose window has closed.
  func share(ofClosed isClosed: Bool) -> (share: Double?, of: Int) {
    isClosed ? (closed.share, closed.reached) : (shareOfReached, reached)
  }
}
