package import FunnelStore
package import FunnelModel

/// Removes the events that a retention drops from members of the log. It must not be shared between threads.
package struct FlowFilter {
  /// The result of sifting a member.
  package struct Outcome: Sendable {
    /// The records that stay, unchanged byte for byte.
    package var rest = RecordBatch()
    /// The number of events that are dropped.
    package var goneCount = 0
    /// The flow versions of the events that are dropped, and of those that stay, by their index in the catalog.
    package var flowsOfGone: Set<Int> = []
    package var flowsOfRest: Set<Int> = []
  }

  private let cut: RetentionCut
  private let reader = StoredEventReader()
  private var resolver: FlowResolver

  package init(_ cut: RetentionCut, catalog: FlowCatalog) {
    self.cut = cut
    resolver = FlowResolver(catalog: catalog)
  }

  /// Sifts an inflated member.
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

  /// Returns the flow versions that an event belongs to, by their index in the catalog.
  private mutating func flows(of event: EventFields) -> [Int] {
    // Two statements: in a single expression, `flows(of:)` would be called on a copy of the resolver made before it resolved the event.
    let resolution = resolver.resolve(event)
    return resolver.flows(of: resolution)
  }

  /// Returns whether an event is dropped: a rule names it, or every flow version it belongs to drops it. One that belongs to none stays.
  private func goes(_ event: borrowing EventFields, of flows: [Int]) -> Bool {
    for rule in cut.events where rule.names(event) { return true }
    let timestamp = event.timestamp
    return !flows.isEmpty && flows.allSatisfy { flow in cut.eventsOfFlows[flow].map { timestamp < $0 } ?? false }
  }
}
