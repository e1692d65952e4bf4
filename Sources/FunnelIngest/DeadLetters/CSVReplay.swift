import FunnelDecoding
import FunnelModel

/// Converts rejected CSV records to a block of JSON lines for a retry.
enum CSVReplay {
  /// Returns a block with one JSON line for each record.
  ///
  /// The line number of a record is its index: its position in the source is not stored.
  ///
  /// - Parameters:
  ///   - records: The records, without line breaks at their ends.
  ///   - header: The header of the file from which the records are.
  static func block(of records: [[UInt8]], header: [UInt8]) -> LineBlock {
    var lines: [UInt8] = []
    var origins = RecordOrigins(header: header)
    for (index, record) in records.enumerated() {
      let (line, rejection) = self.line(of: record, header: header)
      lines += line + [Byte.lineFeed]
      origins.append(line: index, byteOffset: 0, sequence: nil, copying: record.span, rejection: rejection)
    }
    var block = LineBlock(place: LineBlock.Place(file: "", line: 0, byteOffset: 0), content: .lines, bytes: lines)
    block.origins = origins
    block.format = .csv
    return block
  }

  /// Returns a record as JSON, and the rejection of a record that is not a valid CSV record any more.
  private static func line(of record: [UInt8], header: [UInt8]) -> (line: [UInt8], rejection: Rejection?) {
    // A record with masked values is stored as JSON.
    if record.first == Byte.openBrace { return (record, nil) }
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    let place = LineBlock.Place(file: "", line: 1, byteOffset: 0)
    var splitter = CSVSplitter(SplitterContext(place: place, blockBytesTarget: Limits.memberRawBytesTarget, pool: pool))
    var remaining = (header + [Byte.lineFeed] + record + [Byte.lineFeed])[...]
    var blocks: [LineBlock] = []
    while let read = splitter.readOn(from: &remaining) { blocks += read }
    blocks += splitter.finish(damage: nil)
    splitter.close()
    guard blocks.count == 1, let origins = blocks[0].origins, origins.records.count == 1 else {
      return ([Byte.openBrace], Rejection(.invalidField, "the record is no longer a single CSV record"))
    }
    let line = blocks[0].withBytes { Array($0.prefix { $0 != Byte.lineFeed }) }
    return (line, origins.records[0].rejection)
  }
}
