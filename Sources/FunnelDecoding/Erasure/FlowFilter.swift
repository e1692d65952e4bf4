package import FunnelStore
package import FunnelModel

/// Removes expired events from members of the log, by app, name and flow version. Not thread-safe: each worker
/// owns one.
package struct FlowFilter {
  /// The result of filtering a member.
  package struct Outcome: Sendable {
    /// The remaining records, unchanged byte for byte.
    package var rest = RecordBatch()
    /// The number of removed events.
    package var goneCount = 0
    /// The indices in the catalog of the removed events' flow versions.
    package var flowsOfGone: Set<Int> = []
    /// The indices in the catalog of the remaining events' flow versions.
    package var flowsOfRest: Set<Int> = []
  }

  private let cut: RetentionCut
  private let reader = StoredEventReader()
  private var resolver: FlowMatcher

  /// Creates a filter that removes the events to which any of the limits applies.
  package init(_ cut: RetentionCut, catalog: FlowCatalog) {
    self.cut = cut
    resolver = FlowMatcher(catalog: catalog)
  }

  /// Filters a decompressed member.
  ///
  /// - Throws: `inputOutput` if a record can't be read.
  package mutating func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> Outcome {
    var outcome = Outcome()
    var lines: [RecordBatch.Line] = []
    try reader.forEach(in: raw, of: member) { event, line in
      let flows = flows(of: event)
      if goes(event, of: flows) {
        outcome.goneCount += 1
        outcome.flowsOfGone.formUnion(flows)
      } else {
        outcome.flowsOfRest.formUnion(flows)
        lines.append(line.batchLine(at: event.timestamp))
      }
    }
    outcome.rest = RecordBatch(chunks: [raw], lines: lines[...])
    return outcome
  }

  /// Returns the indices in the catalog of the flow versions that an event belongs to.
  private mutating func flows(of event: EventFields) -> [Int] {
    // Two statements: in a single expression, `flows(of:)` would be called on a copy of the resolver from
    // before it resolved the event.
    let resolution = resolver.resolve(event)
    return resolver.flows(of: resolution)
  }

  /// Whether an event is removed: a rule applies to it, or it belongs to a flow version and the limit of each
  /// of its flow versions applies.
  private func goes(_ event: borrowing EventFields, of flows: [Int]) -> Bool {
    for rule in cut.events where rule.names(event) { return true }
    let timestamp = event.timestamp
    return !flows.isEmpty && flows.allSatisfy { flow in cut.eventsOfFlows[flow].map { timestamp < $0 } ?? false }
  }
}
