package import FunnelDecoding
import FunnelModel

/// Splits texts that are in memory as if they were read from a file or a pipe. For tests and benchmarks.
package enum InMemorySplitting {
  /// The rule by which a text is split.
  package enum Rule {
    /// One record a line.
    case lines
    /// The format is detected as in an ingest.
    case detected(CSVDetection)
  }

  /// Calls a closure with each block of a text. A block is valid until the closure returns.
  ///
  /// - Parameters:
  ///   - bytes: The decompressed text.
  ///   - file: The name of the file.
  ///   - rule: The rule by which the text is split.
  ///   - blockBytesTarget: The size of a block in bytes.
  ///   - damage: The damage at the end of the text, or `nil` if the text is complete.
  ///   - nextPiece: Returns the maximum number of bytes of the next read.
  package static func forEachBlock(
    of bytes: [UInt8], file: String, by rule: Rule = .detected(.byName), blockBytesTarget: Int, damage: Rejection? = nil,
    nextPiece: () -> Int = { .max }, _ body: (LineBlock) -> Void
  ) {
    let pool = BlockPool(blockBytesTarget: blockBytesTarget)
    let place = LineBlock.Place(file: file, line: 1, byteOffset: 0)
    let context = SplitterContext(place: place, blockBytesTarget: blockBytesTarget, pool: pool)
    var splitter: any RecordSplitter =
      switch rule {
      case .lines: LineSplitter(context, countsLines: true)
      case .detected(let csv): InputReader.splitter(context, name: file, csv: csv, countsLines: true) { bytes.prefix($0) }
      }
    func pass(_ blocks: [LineBlock]) {
      for block in blocks {
        body(block)
        pool.give(block)
      }
    }
    var unread = bytes[...]
    while let blocks = splitter.readOn(from: &unread, nextPiece: nextPiece) { pass(blocks) }
    pass(splitter.finish(damage: damage))
    splitter.close()
  }
}
