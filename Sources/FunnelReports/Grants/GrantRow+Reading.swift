import FunnelProjections

extension GrantRow: ReportRow {
  public var groups: Int { prompted }
}

extension GrantRow {
  /// The grant rate for its interval, or `nil` if no window is closed, because the final rate is then unknown.
  var grantRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : grantRate }
  /// The access rate for its interval, or `nil` if no window is closed.
  var accessRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : accessRate }

  /// Whether the grant rate is not final: many groups have not answered yet, or most windows are open.
  var isYoung: Bool {
    // After an answer, the rate changes only if a group recovers from a denial, which is rare.
    ManyInProgress.holds(inProgress, of: prompted) || closed.prompted < prompted / 2
  }
}
