import FunnelDecoding
import FunnelStore
import FunnelModel

extension EventBatch {
  /// Returns the batch with the identities of its events, for a batch that was decoded without them.
  ///
  /// The identities are computed from the records, which are decoded again.
  package func withIdentities() throws -> EventBatch {
    var decoder = BlockDecoder(options: StoredEvents.options, catalog: try FlowCatalog(layers: []))
    var batch = EventBatch()
    for block in blocks {
      var block = block
      let place = LineBlock.Place(file: block.file, line: 1, byteOffset: 0)
      let again = decoder.decode(
        LineBlock(place: place, content: .lines, bytes: block.records), wanting: DecodingWants(records: false))
      precondition(again.events.count == block.events.count, "a record that was written can be read")
      for index in block.events.indices { block.events[index].identity = again.events[index].identity }
      batch.append(block)
    }
    return batch
  }

  /// The position of an event in a batch.
  package struct Position {
    /// The index of the block.
    @usableFromInline let block: Int
    /// The index of the event in the block.
    @usableFromInline let event: Int

    @inlinable
    package init(block: Int, event: Int) {
      self.block = block
      self.event = event
    }
  }

  /// Returns whether an event precedes another one by time and then by the bytes of its record.
  package func precedes(_ a: Position, _ b: Position) -> Bool {
    // Of several duplicates, the first in this order is kept. ``dropDuplicates(from:threads:)`` and the index
    // (`OwnDuplicates`) both use it.
    let timeA = blocks[a.block].events[a.event].timestamp
    let timeB = blocks[b.block].events[b.event].timestamp
    if timeA != timeB { return timeA < timeB }
    return withRecord(a) { recordA in withRecord(b) { recordA.precedes($0) } }
  }

  /// Calls a closure with the bytes of an event's record.
  private func withRecord<Result>(
    _ position: Position, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let block = blocks[position.block]
    let start = position.event == 0 ? 0 : block.events[position.event - 1].end
    return block.records.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<block.events[position.event].end]))
    }
  }
}
