package import FunnelDecoding
internal import FunnelModel

extension LineSplitter {
  /// Splits lines that are in memory, and calls a closure with each block. A block is valid until the closure returns.
  ///
  /// - Parameter nextPiece: Returns the maximum number of bytes of the next read, to simulate a file or a pipe.
  package static func forEachBlock(
    of bytes: [UInt8], file: String, blockBytesTarget: Int, nextPiece: () -> Int = { .max },
    _ body: (LineBlock) -> Void
  ) {
    let context = SplitterContext(file: file, blockBytesTarget: blockBytesTarget)
    let splitter = LineSplitter(context, countsLines: true)
    splitter.forEachBlock(of: bytes, damage: nil, context.pool, nextPiece: nextPiece, body)
  }
}

extension InputReader {
  /// Splits a text that is in memory like a file, and calls a closure with each block. A block is valid until
  /// the closure returns.
  ///
  /// - Parameters:
  ///   - bytes: The decompressed text.
  ///   - file: The name of the file.
  ///   - csv: The rule that determines whether the text is CSV.
  ///   - blockBytesTarget: The size of a block in bytes.
  ///   - damage: The damage at the end of the text, or `nil` if the text is complete.
  ///   - nextPiece: Returns the maximum number of bytes of the next read, to simulate a file or a pipe.
  package static func forEachBlock(
    of bytes: [UInt8], file: String, csv: CSVDetection = .byName, blockBytesTarget: Int,
    damage: Rejection? = nil,
    nextPiece: () -> Int = { .max }, _ body: (LineBlock) -> Void
  ) {
    let context = SplitterContext(file: file, blockBytesTarget: blockBytesTarget)
    let splitter = splitter(context, name: file, csv: csv, countsLines: true) { bytes.prefix($0) }
    splitter.forEachBlock(of: bytes, damage: damage, context.pool, nextPiece: nextPiece, body)
  }
}

extension SplitterContext {
  fileprivate init(file: String, blockBytesTarget: Int) {
    self.init(
      place: LineBlock.Place(file: file, line: 1, byteOffset: 0), blockBytesTarget: blockBytesTarget,
      pool: BlockPool(blockBytesTarget: blockBytesTarget))
  }
}

extension RecordSplitter {
  fileprivate consuming func forEachBlock(
    of bytes: [UInt8], damage: Rejection?, _ pool: BlockPool, nextPiece: () -> Int, _ body: (LineBlock) -> Void
  ) {
    var splitter = self
    func pass(_ blocks: [LineBlock]) {
      for block in blocks {
        body(block)
        pool.give(block)
      }
    }
    var remaining = bytes[...]
    while let blocks = splitter.readOn(from: &remaining, nextPiece: nextPiece) { pass(blocks) }
    pass(splitter.finish(damage: damage))
    splitter.close()
  }

  /// Reads the next bytes of a text that is in memory, and removes them. Returns `nil` at the end of the text.
  mutating func readOn(from text: inout ArraySlice<UInt8>, nextPiece: () -> Int = { .max }) -> [LineBlock]? {
    do throws(FunnelError) {
      return try readOn { (output) throws(FunnelError) in
        let piece = text.prefix(min(output.freeCapacity, nextPiece()))
        for byte in piece { output.append(byte) }
        text = text.dropFirst(piece.count)
      }
    } catch {
      preconditionFailure("memory can be read")
    }
  }
}
