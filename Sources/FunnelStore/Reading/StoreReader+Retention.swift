public import FunnelModel

extension StoreReader {
  /// The last day whose events were dropped by retention, or `nil` if there is none.
  ///
  /// On this day and earlier ones, the log contains only events that were ingested after the retention or have a
  /// longer retention.
  public var lastDroppedDay: CivilDate? {
    commits.filter { $0.kind == Self.retentionKind }.flatMap(\.removed).filter { $0.area == .log }.map(\.day).max()
  }

  /// The kind of the commits that retention makes.
  package static var retentionKind: String { "retain" }
}
