package import FunnelStore
package import FunnelModel

/// Removes expired events from members of the log, by app, name and flow version. Not thread-safe: each worker
/// owns one.
package struct ExpiredEventFilter {
  /// The result of filtering a member.
  package struct Outcome: Sendable {
    /// The remaining records, unchanged byte for byte.
    package var remaining = RecordBatch()
    /// The number of removed events.
    package var removedCount = 0
    /// The indices in the catalog of the removed events' flow versions.
    package var flowsOfRemoved: Set<Int> = []
    /// The indices in the catalog of the remaining events' flow versions.
    package var flowsOfRemaining: Set<Int> = []
  }

  private let cut: RetentionCut
  private let reader = StoredEventReader()
  private var matcher: FlowMatcher

  /// Creates a filter that removes the events to which any of the limits applies.
  package init(_ cut: RetentionCut, catalog: FlowCatalog) {
    self.cut = cut
    matcher = FlowMatcher(catalog: catalog)
  }

  /// Filters a decompressed member.
  ///
  /// - Throws: `inputOutput` if a record can't be read.
  package mutating func filter(_ raw: [UInt8], of member: MemberReference) throws(FunnelError) -> Outcome {
    var outcome = Outcome()
    var lines: [RecordBatch.Line] = []
    try reader.forEach(in: raw, of: member) { event, line in
      // A statement of its own: `resolve` may append to the lists that `flows` reads.
      let resolution = matcher.resolve(event)
      let flows = matcher.flows(of: resolution)
      if isExpired(event, of: flows) {
        outcome.removedCount += 1
        outcome.flowsOfRemoved.formUnion(flows)
      } else {
        outcome.flowsOfRemaining.formUnion(flows)
        lines.append(line.batchLine(at: event.timestamp))
      }
    }
    outcome.remaining = RecordBatch(chunks: [raw], lines: lines[...])
    return outcome
  }

  /// Returns whether an event is removed: a rule applies to it, or it belongs to a flow version and the limit of each
  /// of its flow versions applies.
  private func isExpired(_ event: borrowing EventFields, of flows: [Int]) -> Bool {
    for rule in cut.events where rule.removes(event) { return true }
    guard !flows.isEmpty else { return false }
    for flow in flows {
      guard let start = cut.eventsOfFlows[flow], event.timestamp < start else { return false }
    }
    return true
  }
}
