import FunnelLog
import FunnelModel

/// Takes the events of some flow versions out of members of the log. Not to be shared between threads.
struct FlowSieve {
  private let flows: Set<Int>
  private var decoder = EventDecoder(options: StoredEvents.options)
  private var resolver: FlowResolver
  private let event = EventBox()

  /// A sieve that keeps all but the events of the flow versions with these indices in the catalog.
  init(flows: Set<Int>, catalog: FlowCatalog) {
    self.flows = flows
    resolver = FlowResolver(catalog: catalog)
  }

  /// What stays of an inflated member, byte by byte as it was, and how many events do not.
  ///
  /// - Throws: `inputOutput` where a record can't be read.
  mutating func rest(
    of raw: [UInt8], _ member: MemberReference
  ) throws(FunnelError) -> (rest: RecordBatch, goneCount: Int) {
    let block = LineBlock(place: .init(file: "\(member.part)", line: 1, byteOffset: 0), content: .lines, bytes: raw)
    var lines: [RecordBatch.Line] = []
    var goneCount = 0
    var start = 0
    while start < raw.count {
      let end = raw[start...].firstIndex(of: UInt8(ascii: "\n")) ?? raw.count
      let result = block.withBytes { bytes in
        Result { () throws(Reject) in
          try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &event.fields.pointee)
        }
      }
      if case .failure(let reject) = result {
        throw FunnelError(.inputOutput, "a record of the log can't be read, \(member.part), \(reject.message.printable)")
      }
      let foldedBy = resolver.flows(of: resolver.resolve(event.fields.pointee))
      // An event that several flows fold stays as long as one of them wants it.
      if !foldedBy.isEmpty, flows.isSuperset(of: foldedBy) {
        goneCount += 1
      } else {
        lines.append(
          .init(
            milliseconds: event.fields.pointee.timestamp.milliseconds, start: start, byteCount: UInt32(end + 1 - start),
            chunk: 0))
      }
      start = end + 1
    }
    return (RecordBatch(chunks: [raw], lines: lines[...]), goneCount)
  }
}
