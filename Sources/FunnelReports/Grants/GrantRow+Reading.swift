import FunnelProjections

extension GrantRow: ReportRow {
  public var groups: Int { prompted }
}

extension GrantRow {
  /// The grant rate where its interval says something: without a closed window nobody knows which rate the answers will have.
  var grantRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : grantRate }
  /// The access rate where its interval says something.
  var accessRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : accessRate }

  /// Whether the grant rate is far from final: many groups have not answered yet, or most windows are open.
  var isYoung: Bool {
    // Who has answered can only recover from a denial, which few do.
    ManyInProgress.holds(inProgress, of: prompted) || closed.prompted < prompted / 2
  }
}
