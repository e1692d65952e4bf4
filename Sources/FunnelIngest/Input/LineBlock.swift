/// A piece of input, in the order of the file: the unit of work of the pipeline.
package struct LineBlock: Sendable {
  /// Where a piece stands.
  package struct Place: Hashable, Sendable {
    /// The file as messages show it.
    package var file: String
    /// Number of the first line, from 1.
    package var line: Int
    /// Offset of the first byte; in a gzip file that of the inflated text.
    package var byteOffset: Int
    /// The place of the file among those of the input: which of two lines comes first is asked where files are read side by side.
    package var fileNumber: Int

    package init(file: String, line: Int, byteOffset: Int, fileNumber: Int = 0) {
      self.fileNumber = fileNumber
      self.file = file
      self.line = line
      self.byteOffset = byteOffset
    }
  }

  /// What the piece is.
  package enum Content: Sendable {
    /// Whole lines, the last perhaps without its line break, and behind them the padding the parser needs.
    case lines
    /// The beginning of a line longer than the limit, which had `totalByteCount` bytes.
    case overlongLine(totalByteCount: Int)
    /// What stood behind the last line break where a damaged gzip file could be inflated no further, perhaps nothing.
    case damagedTail(message: String)
  }

  package var place: Place
  package var content: Content
  /// The bytes, with ``LineParser/paddingBytes`` zeros behind them.
  let memory: BlockMemory
  /// How many of the bytes are input.
  package var byteCount: Int

  /// A piece at the beginning of memory that has room for the padding, and that nobody else writes to any more.
  init(place: Place, content: Content, memory: BlockMemory, byteCount: Int) {
    self.place = place
    self.content = content
    self.memory = memory
    self.byteCount = byteCount
    memory.space(byteCount..<(byteCount + LineParser.paddingBytes)).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// A piece with a copy of bytes.
  package init(place: Place, content: Content, bytes: some Collection<UInt8>) {
    let memory = BlockMemory(byteCount: bytes.count + LineParser.paddingBytes)
    memory.space(0..<bytes.count).copyBytes(from: bytes)
    self.init(place: place, content: content, memory: memory, byteCount: bytes.count)
  }

  /// Hands on the bytes that are input; the padding stands behind them.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return try body(memory.bytes(0..<byteCount))
  }
}
