internal import FunnelModel

/// Splits a stream of bytes into blocks of records, one a line, in bounded memory however long a record is.
///
/// ``readOn(_:)`` is called until it returns nil, then ``finish(damage:)`` once, then ``close()``.
protocol RecordSplitter {
  /// Reads the next bytes of the stream and returns the blocks they complete, perhaps none, or nil at the end of the stream.
  ///
  /// - Parameter read: Writes at least one byte and returns the number of bytes written, or 0 at the end.
  mutating func readOn(
    _ read: (UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  ) throws(FunnelError) -> [LineBlock]?

  /// Returns the last blocks.
  ///
  /// - Parameter damage: Why the stream could not be read to its end, or nil if it was.
  mutating func finish(damage: Rejection?) -> [LineBlock]

  /// Returns the buffers to the pool; nothing may be read afterwards.
  func close()
}

/// Where the records of a stream come from, and how they become blocks.
struct SplitterContext {
  /// The place at which the stream begins.
  var place: LineBlock.Place
  var blockBytesTarget: Int
  /// The pool that provides the buffers.
  var pool: BlockPool
}
