package import FunnelModel

/// A sequence of bytes that is read once, from its beginning to its end. Not thread-safe.
package protocol ByteStream: AnyObject {
  /// Appends the next bytes of the stream to the output, or none at the end of the stream.
  ///
  /// - Parameter output: An output that is not full. It need not be filled.
  func read(into output: inout OutputSpan<UInt8>) throws(FunnelError)
}

extension ByteStream {
  /// Reads the next bytes, at most `countMax`. Returns an empty array at the end of the stream.
  package func read(upTo countMax: Int) throws(FunnelError) -> [UInt8] {
    precondition(countMax > 0, "a read has room for a byte")
    return try [UInt8](capacity: countMax) { (output) throws(FunnelError) in try read(into: &output) }
  }
}

/// The bytes of an open file, read sequentially.
package final class FileStream: ByteStream {
  private let file: File
  private let fileSystem: any FileSystem

  /// Creates a stream that starts at the current offset of the file.
  package init(_ file: File, fileSystem: any FileSystem = LocalFileSystem()) {
    self.file = file
    self.fileSystem = fileSystem
  }

  package func read(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    try fileSystem.read(file, into: &output)
  }
}

/// A stream whose first bytes can be examined before it is read.
package final class PeekedStream: ByteStream {
  private let stream: any ByteStream
  /// The examined bytes that were not read yet.
  private let head = ByteQueue()

  /// Creates a stream that buffers the first bytes of another.
  package init(_ stream: any ByteStream) { self.stream = stream }

  /// Returns the first `count` bytes, or all if the stream is shorter. ``read(into:)`` returns them again.
  ///
  /// - Precondition: No byte of an earlier peek was read yet.
  package func peek(_ count: Int) throws(FunnelError) -> [UInt8] {
    let head = head
    precondition(head.consumedCount == 0, "the beginning has been read already")
    while head.count < count {
      let added = try head.refill(addingCapacity: count - head.count) { (output) throws(FunnelError) in
        try stream.read(into: &output)
      }
      guard added > 0 else { break }
    }
    return [UInt8](copying: head.unread.extracting(first: min(count, head.count)))
  }

  package func read(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    guard head.isEmpty else { return head.move(into: &output) }
    try stream.read(into: &output)
  }
}
