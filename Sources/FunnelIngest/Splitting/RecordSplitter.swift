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

extension RecordSplitter {
  /// Reads the next bytes of a text that is in memory, and removes them. Returns `nil` at the end of the text.
  ///
  /// - Parameter nextPiece: Returns the maximum number of bytes of the read.
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

/// The parameters of a splitter.
struct SplitterContext {
  /// The position of the first byte of the stream.
  var place: LineBlock.Place
  /// The size of a block in bytes. A block may be a little larger.
  var blockBytesTarget: Int
  /// The pool that provides the buffers.
  var pool: BlockPool
}
