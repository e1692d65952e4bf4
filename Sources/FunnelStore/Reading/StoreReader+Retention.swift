public import FunnelModel

extension StoreReader {
  /// The last day of which events were dropped by retention, or nil if none were.
  ///
  /// Reports on this day and earlier ones contain only events that were ingested later, or that belong to flows with a longer retention.
  public var lastDroppedDay: CivilDate? {
    commits.filter { $0.kind == Self.retentionKind }.flatMap(\.removed).filter { $0.area == .log }.map(\.day).max()
  }

  /// The kind of the commits that retention makes.
  package static var retentionKind: String { "retain" }
}
