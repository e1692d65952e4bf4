import FunnelLog
import FunnelModel

/// The decoded events of one commit to be: deduplicated among themselves and against what is known, then put in the order of the log.
struct EventBatch {
  private var blocks: [DecodedBlock<NoEventSink>] = []
  private(set) var byteCount = 0

  /// Where an event is: its block and its place there.
  private struct Reference {
    var block: Int
    var index: Int
  }

  mutating func append(_ block: DecodedBlock<NoEventSink>) {
    byteCount += block.byteCount
    blocks.append(block)
  }

  var isEmpty: Bool { blocks.isEmpty }

  var deadLetters: [DeadLetter] { blocks.flatMap(\.deadLetters) }

  /// What makes each event the event it is.
  var identities: Set<Hash128> {
    var identities: Set<Hash128> = []
    for block in blocks { for event in block.events { identities.insert(event.identity) } }
    return identities
  }

  /// The events that are new, by day, each day's by time and then by the bytes of the record, whatever the order they came in.
  ///
  /// - Parameters:
  ///   - known: Identities the store holds already.
  ///   - summary: Where accepted events, duplicates and unclaimed names are counted.
  func records(without known: Set<Hash128>, counting summary: inout IngestSummary) -> [CivilDate: RecordBatch] {
    var kept = withoutDuplicates(known: known)
    let total = blocks.reduce(0) { $0 + $1.events.count }
    summary.duplicates += total - kept.count
    kept.sort(by: precedes)
    var days: [CivilDate: RecordBatch] = [:]
    for reference in kept {
      let block = blocks[reference.block]
      let event = block.events[reference.index]
      summary.addAccepted(at: event.timestamp)
      if event.unclaimed >= 0 { summary.addUnclaimed(block.unclaimedNames[Int(event.unclaimed)]) }
      record(of: reference) { days[event.timestamp.day, default: RecordBatch()].append($0.dropLast(), timestamp: event.timestamp) }
    }
    return days
  }

  /// Of events with one identity the smallest stays, by time and then by bytes; none of those the store holds.
  private func withoutDuplicates(known: Set<Hash128>) -> [Reference] {
    var kept: [Reference] = []
    var placeOfIdentity: [Hash128: Int] = [:]
    for (blockIndex, block) in blocks.enumerated() {
      for (index, event) in block.events.enumerated() where !known.contains(event.identity) {
        let reference = Reference(block: blockIndex, index: index)
        if let place = placeOfIdentity[event.identity] {
          if precedes(reference, kept[place]) { kept[place] = reference }
        } else {
          placeOfIdentity[event.identity] = kept.count
          kept.append(reference)
        }
      }
    }
    return kept
  }

  private func precedes(_ a: Reference, _ b: Reference) -> Bool {
    let timeA = blocks[a.block].events[a.index].timestamp
    let timeB = blocks[b.block].events[b.index].timestamp
    if timeA != timeB { return timeA < timeB }
    return record(of: a) { recordA in record(of: b) { recordA.precedes($0) } }
  }

  /// The bytes of a record, its line break included.
  private func record<Result>(of reference: Reference, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let events = blocks[reference.block].events
    let start = reference.index == 0 ? 0 : events[reference.index - 1].end
    return blocks[reference.block].records.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<events[reference.index].end]))
    }
  }
}
