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
  package var bytes: [UInt8]
  /// How many of the bytes are input.
  package var byteCount: Int

  /// A piece whose bytes stand ready.
  init(place: Place, content: Content, takingOver bytes: consuming [UInt8]) {
    self.place = place
    self.content = content
    byteCount = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: LineParser.paddingBytes))
    self.bytes = bytes
  }

  init(place: Place, content: Content, bytes: some Collection<UInt8>) {
    self.place = place
    self.content = content
    byteCount = bytes.count
    self.bytes = []
    self.bytes.reserveCapacity(byteCount + LineParser.paddingBytes)
    self.bytes.append(contentsOf: bytes)
    self.bytes.append(contentsOf: repeatElement(0, count: LineParser.paddingBytes))
  }
}
