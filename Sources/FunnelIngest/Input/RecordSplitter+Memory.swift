internal import FunnelModel

extension LineSplitter {
  /// Calls a closure with the blocks of lines that are in memory. Each block is valid until the closure returns.
  ///
  /// - Parameter nextPiece: Returns the size of the next piece, as a file or a pipe may deliver it.
  package static func forEachBlock(
    of bytes: UnsafeRawBufferPointer, file: String, blockBytesTarget: Int, nextPiece: () -> Int = { .max },
    _ body: (LineBlock) -> Void
  ) {
    let context = SplitterContext(file: file, blockBytesTarget: blockBytesTarget)
    let splitter = LineSplitter(context, countsLines: true)
    splitter.forEachBlock(of: bytes, damage: nil, context.pool, nextPiece: nextPiece, body)
  }
}

extension InputReader {
  /// Calls a closure with the blocks of a text that is in memory, split as a file of that name would be. Each block is valid until the
  /// closure returns.
  ///
  /// - Parameters:
  ///   - damage: Why the text can't be read any further, or nil if that is all of it.
  ///   - nextPiece: Returns the size of the next piece, as a file or a pipe may deliver it.
  package static func forEachBlock(
    of bytes: UnsafeRawBufferPointer, file: String, csv: CSVDetection = .byName, blockBytesTarget: Int,
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
    of bytes: UnsafeRawBufferPointer, damage: Rejection?, _ pool: BlockPool, nextPiece: () -> Int, _ body: (LineBlock) -> Void
  ) {
    var splitter = self
    func hand(_ blocks: [LineBlock]) {
      for block in blocks {
        body(block)
        pool.give(block)
      }
    }
    var rest = bytes[...]
    do throws(FunnelError) {
      while let blocks = try splitter.readOn({ (space) throws(FunnelError) in
        let piece = rest.prefix(min(space.count, nextPiece()))
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
        rest = rest.dropFirst(piece.count)
        return piece.count
      }) { hand(blocks) }
    } catch {
      preconditionFailure("memory can be read")
    }
    hand(splitter.finish(damage: damage))
    splitter.close()
  }
}
