import NIOCore

/// Reads lines that end with a carriage return and a line feed from a buffer that arrives in pieces.
struct LineReader {
  /// The result of reading a line.
  enum Result {
    /// The line is not complete.
    case incomplete
    /// The line without its end.
    case line([UInt8])
    /// The line, with its end, is longer than allowed.
    case tooLong
    /// The line feed does not follow a carriage return.
    case malformed
  }

  /// The number of bytes at the beginning of the buffer that contain no line feed.
  private var scannedBytes = 0

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let lineEndBytes = 2

  /// Removes the next line from the buffer.
  ///
  /// - Parameter bytesMax: The largest size of the line with its end.
  mutating func next(_ input: inout ByteBuffer, bytesMax: Int) -> Result {
    let view = input.readableBytesView
    guard let end = view[(view.startIndex + scannedBytes)...].firstIndex(of: Self.lineFeed) else {
      scannedBytes = view.count
      return scannedBytes >= bytesMax ? .tooLong : .incomplete
    }
    let lineBytes = end - view.startIndex + 1
    guard lineBytes <= bytesMax else { return .tooLong }
    guard lineBytes >= Self.lineEndBytes, view[end - 1] == Self.carriageReturn else { return .malformed }
    let line = Array(view[..<(end - 1)])
    input.moveReaderIndex(forwardBy: lineBytes)
    scannedBytes = 0
    return .line(line)
  }
}
