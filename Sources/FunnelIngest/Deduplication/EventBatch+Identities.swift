import FunnelStore
import FunnelModel

extension EventBatch {
  /// Returns the batch with the identity of each event. It is read from the records, for batches that were decoded without identities.
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

  /// Returns whether one event precedes another by time and then by the bytes of its record. Each is given by its block and its index
  /// there.
  ///
  /// Of duplicates the one that precedes the others stays: ``dropDuplicates(from:threads:)`` and the index (`OwnDuplicates`) both ask this.
  package func precedes(_ a: (block: Int, event: Int), _ b: (block: Int, event: Int)) -> Bool {
    let (timeA, timeB) = (blocks[a.block].events[a.event].timestamp, blocks[b.block].events[b.event].timestamp)
    if timeA != timeB { return timeA < timeB }
    return withRecord(a) { recordA in withRecord(b) { recordA.precedes($0) } }
  }

  private func withRecord<Result>(
    _ place: (block: Int, event: Int), _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let block = blocks[place.block]
    let start = place.event == 0 ? 0 : block.events[place.event - 1].end
    return block.records.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<block.events[place.event].end]))
    }
  }
}
