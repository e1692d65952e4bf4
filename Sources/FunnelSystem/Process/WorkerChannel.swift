#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The child's side of a ``WorkerProcess``: reads command lines one after another, and reports the end of each.
public struct WorkerChannel {
  /// The maximum size of a request. It keeps a corrupt length from causing a huge allocation.
  private static let requestBytesMax = 1 << 20
  /// The number of descriptors that are closed where `posix_spawn` can't close them: the usual soft limit of open files.
  private static let inheritedDescriptorsMax: Int32 = 1024

  /// Creates the channel of this process. Closes the descriptors it inherited besides its own.
  public init() {
    // With glibc and on Darwin, `posix_spawn` has closed them already.
    #if canImport(Musl)
      for descriptor in WorkerMessage.trailerDescriptor + 1..<Self.inheritedDescriptorsMax {
        ProcessStart.closeDescriptor(descriptor)
      }
    #endif
  }

  /// Waits for the next command line. Returns `nil` if the parent has closed the pipe, or if a request is invalid.
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

  /// Reports the end of a command to the parent.
  ///
  /// - Parameters:
  ///   - status: The exit code of the command.
  ///   - outputBytes: The number of bytes that the command wrote to standard output.
  ///   - errorBytes: The number of bytes that the command wrote to standard error.
  ///   - isLast: Whether the process exits now.
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

  /// Reads a 32-bit integer. Returns `nil` at the end of the pipe.
  private func readNumber() -> Int? {
    read(MemoryLayout<UInt32>.size).map { bytes in
      Int(bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) })
    }
  }

  /// Reads exactly `count` bytes. Returns `nil` if the pipe ends before.
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
