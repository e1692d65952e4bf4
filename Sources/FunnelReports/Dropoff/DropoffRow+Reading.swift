extension DropoffRow: ReportRow {
  public var groups: Int { entered }
}

extension DropoffStepRow {
  /// The number of groups that reached the step, derived from the share of them that dropped, or nil if none dropped.
  var reached: Int? {
    guard let share = shareOfReached, share > 0, share.isFinite, dropped > 0 else { return nil }
    return Int(exactly: (Double(dropped) / share).rounded())
  }
}
