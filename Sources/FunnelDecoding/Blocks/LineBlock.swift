package import FunnelImport
package import FunnelModel

/// A contiguous part of an input file, usually whole lines: the unit of work that a reader passes to a decoder.
package struct LineBlock: Sendable {
  /// A position in the input.
  package struct Place: Hashable, Sendable {
    /// The file as messages show it, followed by the path in the zip, if any.
    package var file: String
    /// The ``InputFile/path`` of the file.
    package var input: String
    /// The number of the line, from 1.
    package var line: Int
    /// The offset of the first byte in the decompressed text.
    package var byteOffset: Int
    /// The index of the file in the input. It determines the order of lines if files are read in parallel.
    package var fileNumber: Int
    /// The index of the text in a zip, or 0 if the file is not a zip.
    package var entryNumber = 0

    /// Creates a position in a file.
    package init(file: String, line: Int, byteOffset: Int, fileNumber: Int = 0) {
      self.fileNumber = fileNumber
      self.file = file
      input = file
      self.line = line
      self.byteOffset = byteOffset
    }
  }

  /// The type of a block's content.
  package enum Content: Sendable {
    /// Whole lines. The last one of a file may have no line break. If the block has ``LineBlock/origins``, the
    /// lines are records that were split from the input, one a line.
    case lines
    /// The beginning of a line that is longer than the limit.
    case overlongLine(totalByteCount: Int)
    /// The bytes after the last line break of damaged input, possibly none. The remainder of the input is unreadable.
    case damagedTail(Rejection)
    /// Lines that another process rejected: the block has no bytes of its own.
    case deadLetters([DeadLetter])
  }

  /// The position of the first line.
  package var place: Place
  package var content: Content
  /// The format of the records.
  package var format = ImportFormat.native
  /// Whether this is the first block of its file, or of its entry in a zip.
  package var isFirst = false
  /// The encoding of the text in the input. The block itself is in UTF-8.
  package var encoding = TextEncoding.utf8
  /// The files that were passed over before this block.
  package var passedOver = PassedOverFiles()
  /// The positions of the records in the input, or `nil` if the lines are lines of the input.
  package var origins: RecordOrigins?
  /// Whether the line number of ``place`` counts from the beginning of the file. Otherwise it counts from the
  /// beginning of the block.
  package var hasLineNumbers = true
  /// The bytes, followed by ``LineParser/paddingBytes`` zeros.
  package let memory: BlockMemory
  /// The length of the content without the padding, in bytes.
  package let byteCount: Int
  /// The ``BlockMemory/recycleCount`` of the memory when the block was created.
  private let recycleCount: Int

  /// Creates a block from the first bytes of a memory.
  ///
  /// - Parameter memory: Memory with room for the padding. It must not be changed anymore.
  package init(place: Place, content: Content, memory: BlockMemory, byteCount: Int) {
    self.place = place
    self.content = content
    self.memory = memory
    self.byteCount = byteCount
    recycleCount = memory.recycleCount
    memory.space(byteCount..<(byteCount + LineParser.paddingBytes)).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Creates a block with a copy of bytes.
  package init(place: Place, content: Content, bytes: some Collection<UInt8>) {
    let memory = BlockMemory(byteCount: bytes.count + LineParser.paddingBytes)
    memory.space(0..<bytes.count).copyBytes(from: bytes)
    self.init(place: place, content: content, memory: memory, byteCount: bytes.count)
  }

  /// Whether the memory still contains the block: it was not recycled for another one.
  var isValid: Bool { memory.recycleCount == recycleCount }
}
