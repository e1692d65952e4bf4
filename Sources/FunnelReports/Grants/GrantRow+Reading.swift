extension GrantRow: ReportRow {
  public var groups: Int { prompted }
}

extension GrantRow {
  /// Whether so many groups have not answered yet that the grant rate is not final.
  var hasManyInProgress: Bool { ManyInProgress.holds(inProgress, of: prompted) }
}
