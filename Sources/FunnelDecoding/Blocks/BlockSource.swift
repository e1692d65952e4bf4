package import FunnelModel

/// A source of blocks for several threads, in no particular order.
package protocol BlockSource: Sendable {
  /// Returns the next block, or `nil` if there are no more.
  ///
  /// - Parameter readerSlot: The index of the calling thread, from 0.
  func next(readerSlot: Int) throws(FunnelError) -> LineBlock?
  /// Releases the memory of a block. Reading the block afterwards is a programming error, which stops the program.
  func recycle(_ block: consuming LineBlock, readerSlot: Int)
  /// The number of bytes read so far, as they are on the disk. It may lag behind while other threads read.
  var fileByteCount: Int { get }
}
