/// The counts of one flow version: the state of a fold, which merges, and of which rows are made.
public struct FlowCounts: Sendable {
  let projection: FlowProjection
  private(set) var aggregate: Aggregate

  package init(projection: FlowProjection, aggregate: Aggregate) {
    self.projection = projection
    self.aggregate = aggregate
  }

  /// Creates the counts of no groups.
  public init(_ projection: FlowProjection) {
    self.init(projection: projection, aggregate: projection.emptyAggregate)
  }

  /// Returns the rows of one report, or nil if its projector was not selected.
  public func rows<P: Projector>(of type: P.Type) -> [P.Row]? { projection.rows(of: type, from: aggregate) }

  /// The counts as bytes (``StateFormat``). The same counts have the same bytes.
  public var encoded: [UInt8] { aggregate.encoded }

  /// Adds counts that were encoded by a projection of the same flow, query and reports. The groups must be others.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not such counts; then nothing is added.
  public mutating func merge(encoded bytes: [UInt8]) throws(StateDamage) {
    var sum = aggregate
    try sum.merge(encoded: bytes)
    aggregate = sum
  }
}
