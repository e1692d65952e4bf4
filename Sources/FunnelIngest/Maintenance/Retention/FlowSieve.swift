import FunnelStore
import FunnelModel

/// Takes the events out of members of the log that a retention lets go. Not to be shared between threads.
struct FlowSieve {
  /// What becomes of a member.
  struct Outcome: Sendable {
    /// What stays, byte by byte as it was.
    var rest = RecordBatch()
    /// How many events do not.
    var goneCount = 0
    /// The flow versions of events that go, and of events that stay, by their index in the catalog.
    var flowsOfGone: Set<Int> = []
    var flowsOfRest: Set<Int> = []
  }

  private let cut: Retention.Cut
  private var decoder = EventDecoder(options: StoredEvents.options)
  private var resolver: FlowResolver
  private let event = EventBox()

  init(_ cut: Retention.Cut, catalog: FlowCatalog) {
    self.cut = cut
    resolver = FlowResolver(catalog: catalog)
  }

  /// Sifts an inflated member.
  ///
  /// - Throws: `inputOutput` where a record can't be read.
  mutating func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> Outcome {
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

  /// The flow versions the event at hand belongs to, by their index in the catalog.
  private mutating func flowsOfEvent() -> [Int] {
    // In two steps: a resolver that is asked in one would be a copy from before it knew the event.
    let resolution = resolver.resolve(event.fields.pointee)
    return resolver.flows(of: resolution)
  }

  /// Whether an event goes: where a rule names it, or each flow version it belongs to lets it go. One that belongs to none stays.
  private func goes(_ event: borrowing EventFields, of flows: [Int]) -> Bool {
    for rule in cut.events where rule.names(event) { return true }
    let timestamp = event.timestamp
    return !flows.isEmpty && flows.allSatisfy { flow in cut.eventsOfFlows[flow].map { timestamp < $0 } ?? false }
  }
}
