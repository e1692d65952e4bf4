public import FunnelModel

/// A sequence of bytes that is read once, from its beginning to its end. Not thread-safe.
public protocol ByteStream: AnyObject {
  /// Reads the next bytes into the buffer. Returns the number of bytes read, or 0 at the end of the stream.
  ///
  /// - Parameter buffer: A buffer that is not empty. It need not be filled.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
}

/// The bytes of an open file, read sequentially.
public final class FileStream: ByteStream {
  private let file: File
  private let fileSystem: any FileSystem

  /// Creates a stream that starts at the current offset of the file.
  public init(_ file: File, fileSystem: any FileSystem = LocalFileSystem()) {
    self.file = file
    self.fileSystem = fileSystem
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try fileSystem.read(file, into: buffer)
  }
}

/// A stream whose first bytes can be examined before it is read.
public final class PeekedStream: ByteStream {
  private let stream: any ByteStream
  private var head: [UInt8] = []
  /// The range of `head` that ``read(into:)`` has not returned yet.
  private var headRange = 0..<0

  /// Creates a stream that buffers the first bytes of another.
  public init(_ stream: any ByteStream) { self.stream = stream }

  /// Returns the first `count` bytes, or all if the stream is shorter. ``read(into:)`` returns them again.
  ///
  /// - Precondition: ``read(into:)`` was not called yet. Repeated peeks are allowed.
  public func peek(_ count: Int) throws(FunnelError) -> ArraySlice<UInt8> {
    precondition(headRange.lowerBound == 0, "the beginning has been read already")
    if head.count < count { head += [UInt8](repeating: 0, count: count - head.count) }
    while headRange.count < count {
      let end = headRange.upperBound
      let added = try head.withUnsafeMutableBytes(throwing: FunnelError.self) { (space) throws(FunnelError) in
        try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: space[end..<count]))
      }
      guard added > 0 else { break }
      headRange = 0..<(end + added)
    }
    return head[headRange.prefix(count)]
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    guard !headRange.isEmpty else { return try stream.read(into: buffer) }
    let count = min(buffer.count, headRange.count)
    buffer.copyBytes(from: head[headRange.prefix(count)])
    headRange = headRange.dropFirst(count)
    if headRange.isEmpty { head = [] }
    return count
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes, like `withUnsafeMutableBytes`, which does not support typed errors.
  mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    throwing: Failure.Type, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutableBufferPointer { (buffer) throws(Failure) in try body(UnsafeMutableRawBufferPointer(buffer)) }
  }
}
