package import FunnelModel

/// A contiguous piece of an input file: the unit of work of the pipeline.
package struct LineBlock: Sendable {
  /// The position of a piece.
  package struct Place: Hashable, Sendable {
    /// The file as messages show it; an entry of a zip is named behind it.
    package var file: String
    /// The file as ``InputFile/path`` names it.
    package var input: String
    /// The number of the first line, from 1.
    package var line: Int
    /// The offset of the first byte, in bytes; in a gzip file, that in the inflated text.
    package var byteOffset: Int
    /// The index of the file in the input. It decides which of two lines comes first if files are read in parallel.
    package var fileNumber: Int
    /// The index of the entry in a zip; 0 for a file that is none.
    package var entryNumber = 0

    package init(file: String, line: Int, byteOffset: Int, fileNumber: Int = 0) {
      self.fileNumber = fileNumber
      self.file = file
      input = file
      self.line = line
      self.byteOffset = byteOffset
    }
  }

  /// The kind of the piece.
  package enum Content: Sendable {
    /// Whole lines, the last perhaps without its line break, followed by the padding that the parser needs. If the block has
    /// ``LineBlock/origins``, the lines are records of the input, one a line.
    case lines
    /// The beginning of a line longer than the limit, which had `totalByteCount` bytes.
    case overlongLine(totalByteCount: Int)
    /// The bytes behind the last line break, perhaps none, of a file that is damaged: nothing behind them could be read.
    case damagedTail(Rejection)
  }

  package var place: Place
  package var content: Content
  /// The format of the records.
  package var format = ImportFormat.native
  /// Whether this is the first block of its file, or of its entry in a zip.
  package var isFirst = false
  /// The places of the records; nil if the lines are lines of the input.
  package var origins: RecordOrigins?
  /// Whether the line number of ``place`` counts from the beginning of the file, not from that of the block.
  var hasLineNumbers = true
  /// The bytes, followed by ``LineParser/paddingBytes`` zeros.
  let memory: BlockMemory
  /// The number of bytes that are input.
  package var byteCount: Int

  /// Creates a piece from the beginning of memory that has room for the padding and that nobody else writes to any more.
  init(place: Place, content: Content, memory: BlockMemory, byteCount: Int) {
    self.place = place
    self.content = content
    self.memory = memory
    self.byteCount = byteCount
    memory.space(byteCount..<(byteCount + LineParser.paddingBytes)).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Creates a piece with a copy of bytes.
  package init(place: Place, content: Content, bytes: some Collection<UInt8>) {
    let memory = BlockMemory(byteCount: bytes.count + LineParser.paddingBytes)
    memory.space(0..<bytes.count).copyBytes(from: bytes)
    self.init(place: place, content: content, memory: memory, byteCount: bytes.count)
  }

  /// Calls a closure with the bytes of input, which are followed by the padding.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return try body(memory.bytes(0..<byteCount))
  }
}
