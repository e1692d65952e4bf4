extension GrantRow: ReportRow {
  public var groups: Int { prompted }
}

extension GrantRow {
  /// Whether the grant rate is far from final: many groups have not answered yet, or most windows are open.
  var isYoung: Bool {
    // Who has answered can only recover from a denial, which few do.
    ManyInProgress.holds(inProgress, of: prompted) || closed.prompted < prompted / 2
  }
}
