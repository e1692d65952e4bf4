package import FunnelStore
package import FunnelModel

/// Removes the events that a retention drops from members of the log. It must not be shared between threads.
package struct FlowSieve {
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
  private var decoder = EventDecoder(options: StoredEvents.options)
  private var resolver: FlowResolver
  private let event = EventBox()

  package init(_ cut: RetentionCut, catalog: FlowCatalog) {
    self.cut = cut
    resolver = FlowResolver(catalog: catalog)
  }

  /// Sifts an inflated member.
  ///
  /// - Throws: `inputOutput` if a record can't be read.
  package mutating func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> Outcome {
    let block = LineBlock(place: .init(file: "\(member.part)", line: 1, byteOffset: 0), content: .lines, bytes: raw)
    var outcome = Outcome()
    var lines: [RecordBatch.Line] = []
    var start = 0
    while start < raw.count {
      let end = raw[start...].firstIndex(of: UInt8(ascii: "\n")) ?? raw.count
      let result = block.withBytes { bytes in
        Result { () throws(Reject) in
          try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &event.fields.pointee)
          let flows = flowsOfEvent()
          return (flows, goes(event.fields.pointee, of: flows))
        }
      }
      switch result {
      case .failure(let reject):
        throw FunnelError(.inputOutput, "a record of the log can't be read, \(member.part), \(reject.message.printable)")
      case .success((let flows, true)):
        outcome.goneCount += 1
        outcome.flowsOfGone.formUnion(flows)
      case .success((let flows, false)):
        outcome.flowsOfRest.formUnion(flows)
        let milliseconds = event.fields.pointee.timestamp.milliseconds
        lines.append(.init(milliseconds: milliseconds, start: start, byteCount: UInt32(end + 1 - start), chunk: 0))
      }
      start = end + 1
    }
    outcome.rest = RecordBatch(chunks: [raw], lines: lines[...])
    return outcome
  }

  /// Returns the flow versions that the current event belongs to, by their index in the catalog.
  private mutating func flowsOfEvent() -> [Int] {
    // Two statements: in a single expression, `flows(of:)` would be called on a copy of the resolver made before it resolved the event.
    let resolution = resolver.resolve(event.fields.pointee)
    return resolver.flows(of: resolution)
  }

  /// Returns whether an event is dropped: a rule names it, or every flow version it belongs to drops it. One that belongs to none stays.
  private func goes(_ event: borrowing EventFields, of flows: [Int]) -> Bool {
    for rule in cut.events where rule.names(event) { return true }
    let timestamp = event.timestamp
    return !flows.isEmpty && flows.allSatisfy { flow in cut.eventsOfFlows[flow].map { timestamp < $0 } ?? false }
  }
}
