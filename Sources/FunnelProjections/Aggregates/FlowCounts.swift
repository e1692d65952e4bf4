/// The aggregate of one flow version, from which the rows of reports are made.
///
/// The counts of disjoint groups can be encoded, sent to another machine and merged there (`funnel fold`).
package struct FlowCounts: Sendable {
  let projection: FlowProjection
  private(set) var aggregate: Aggregate

  /// Creates the counts of an aggregate that the projection has produced.
  package init(projection: FlowProjection, aggregate: Aggregate) {
    self.projection = projection
    self.aggregate = aggregate
  }

  /// Creates the counts of no groups.
  package init(_ projection: FlowProjection) {
    self.init(projection: projection, aggregate: projection.emptyAggregate)
  }

  /// Returns the rows of one report, or `nil` if the projection does not include its projector.
  package func rows<P: Projector>(of type: P.Type) -> [P.Row]? { projection.rows(of: type, from: aggregate) }

  /// The encoded state. Equal counts have equal encodings.
  package var encoded: [UInt8] { aggregate.encoded }

  /// Adds encoded counts of other groups.
  ///
  /// The counts must be of the same flow version, query and reports. Only their shape is checked. A group that is in
  /// both is counted twice.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not counts of the same shape. After an error, nothing is added.
  package mutating func merge(encoded bytes: [UInt8]) throws(StateDamage) {
    var sum = aggregate
    try sum.merge(encoded: bytes)
    aggregate = sum
  }
}
