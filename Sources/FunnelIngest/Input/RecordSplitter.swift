import FunnelDecoding
internal import FunnelModel

/// Splits a byte stream into blocks of records, one a line. Its memory is bounded for records of any length.
///
/// Call ``readOn(_:)`` until it returns `nil`, then ``finish(damage:)``, then ``close()``.
protocol RecordSplitter {
  /// Reads the next bytes of the stream and returns the blocks that they complete, or `nil` at the end of the
  /// stream. The array may be empty.
  ///
  /// - Parameter read: Appends the next bytes of the stream, or none at its end.
  mutating func readOn(_ read: BlockFiller) throws(FunnelError) -> [LineBlock]?

  /// Returns the last blocks.
  ///
  /// - Parameter damage: The reason why the stream could not be read to its end, or `nil` if it was.
  mutating func finish(damage: Rejection?) -> [LineBlock]

  /// Returns the buffers to the pool. The splitter must not be used afterwards.
  func close()
}

/// The parameters of a splitter.
struct SplitterContext {
  /// The position of the first byte of the stream.
  var place: LineBlock.Place
  /// The size of a block in bytes. A block may be a little larger.
  var blockBytesTarget: Int
  /// The pool that provides the buffers.
  var pool: BlockPool
}
