public import FunnelModel

extension StoreReader {
  /// The last day of which events were dropped because they had been kept long enough; nil where none were.
  ///
  /// Of it and the days before it reports know only what came later, or what belongs to flows that keep their events longer.
  public var lastDroppedDay: CivilDate? {
    commits.filter { $0.kind == Self.retentionKind }.flatMap(\.removed).filter { $0.area == .log }.map(\.day).max()
  }

  /// The kind of the commits that drop what was kept long enough.
  package static var retentionKind: String { "retain" }
}
