#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The child's side of a ``WorkerProcess``: it gets command lines one after another, and says when each is done.
public struct WorkerChannel {
  /// The number of bytes of a request that is taken.
  private static let requestBytesMax = 1 << 20

  public init() {
    // Elsewhere, the process was started without what its parent had open.
    #if canImport(Musl)
      for descriptor in WorkerMessage.trailerDescriptor + 1..<1024 { ProcessStart.closeDescriptor(descriptor) }
    #endif
  }

  /// Waits for the next command line; nil if there is none any more.
  public func nextArguments() -> [String]? {
    guard let count = readNumber(), count <= Self.requestBytesMax else { return nil }
    var arguments: [String] = []
    var bytes = 0
    for _ in 0..<count {
      guard let length = readNumber(), bytes + length <= Self.requestBytesMax, let text = read(length) else { return nil }
      bytes += length
      arguments.append(String(decoding: text, as: UTF8.self))
    }
    return arguments
  }

  /// Says that a command is done.
  ///
  /// - Parameters:
  ///   - status: Its exit code.
  ///   - outputBytes: The number of bytes it wrote to standard output.
  ///   - errorBytes: The number of bytes it wrote to standard error.
  ///   - isLast: Whether the process ends now.
  public func finish(status: Int32, outputBytes: Int, errorBytes: Int, isLast: Bool) {
    let trailer = WorkerMessage.Trailer(
      status: Int64(status), outputBytes: Int64(outputBytes), errorBytes: Int64(errorBytes), last: isLast ? 1 : 0)
    withUnsafeBytes(of: trailer) { bytes in
      var written = 0
      while written < bytes.count {
        let count = ProcessStart.writeBytes(
          WorkerMessage.trailerDescriptor, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        written += count
      }
    }
  }

  private func readNumber() -> Int? {
    read(4).map { bytes in Int(bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }) }
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes { ProcessStart.readBytes(STDIN_FILENO, $0.baseAddress! + filled, count - filled) }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      filled += read
    }
    return bytes
  }
}
