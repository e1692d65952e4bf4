#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The child's side of a ``WorkerProcess``: reads command lines one after another, and reports the end of each.
package struct WorkerChannel {
  /// The maximum size of a request. It keeps a corrupt length from causing a huge allocation.
  private static let requestBytesMax = 1 << 20
  /// The number of descriptors that are closed where `posix_spawn` can't close them: the usual soft limit of open files.
  private static let inheritedDescriptorsMax: Int32 = 1024

  /// Creates the channel of this process. Closes the descriptors it inherited besides its own.
  package init() {
    // With glibc and on Darwin, `posix_spawn` has closed them already.
    #if canImport(Musl)
      for descriptor in WorkerMessage.trailerDescriptor + 1..<Self.inheritedDescriptorsMax {
        ProcessStart.closeDescriptor(descriptor)
      }
    #endif
  }

  /// Waits for the next command line. Returns `nil` if the parent has closed the pipe, or if a request is invalid.
  package func nextArguments() -> [String]? {
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
  package func finish(status: Int32, outputBytes: Int, errorBytes: Int, isLast: Bool) {
    let trailer = WorkerMessage.Trailer(status: status, outputBytes: outputBytes, errorBytes: errorBytes, isLast: isLast)
    let bytes = trailer.bytes
    var written = 0
    // A write fails if the parent has closed the pipe. The result is then not needed.
    while written < bytes.count,
      let count = try? SystemCalls.write(bytes.span.extracting(droppingFirst: written), to: WorkerMessage.trailerDescriptor),
      count > 0
    {
      written += count
    }
  }

  /// Reads a 32-bit integer. Returns `nil` at the end of the pipe.
  private func readNumber() -> Int? {
    read(UInt32.bitWidth / 8).map { Int($0.span.integer(at: 0, as: UInt32.self)) }
  }

  /// Reads exactly `count` bytes. Returns `nil` if the pipe ends before.
  private func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let before = bytes.count
      do {
        try bytes.append(addingCapacity: count - before) { (output) throws(SystemError) in
          try SystemCalls.read(STDIN_FILENO, into: &output)
        }
      } catch {
        return nil
      }
      guard bytes.count > before else { return nil }
    }
    return bytes
  }
}

/// The messages between a ``WorkerProcess`` and its ``WorkerChannel``. All integers are little-endian.
enum WorkerMessage {
  /// The descriptor on which a worker reports the end of a command: the first one after the standard streams.
  static let trailerDescriptor: Int32 = 3

  /// A worker's report that a command has ended: four integers of 64 bits, the last of which is 1 if the process exits now.
  struct Trailer {
    /// The length of the encoded report.
    static let byteCount = 32

    /// The exit code of the command.
    var status: Int32
    /// The number of bytes written to standard output.
    var outputBytes: Int
    /// The number of bytes written to standard error.
    var errorBytes: Int
    /// Whether the process exits now. Otherwise it waits for another command.
    var isLast: Bool

    /// The encoded report.
    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      for integer in [Int64(status), Int64(outputBytes), Int64(errorBytes), isLast ? 1 : 0] {
        bytes.append(littleEndian: integer)
      }
      assert(bytes.count == Self.byteCount, "a report has its documented length")
      return bytes
    }
  }

  /// Returns the encoding of a request: the number of arguments, then each argument with its length in bytes.
  static func request(_ arguments: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(arguments.count))
    for argument in arguments {
      bytes.append(littleEndian: UInt32(argument.utf8.count))
      bytes += Array(argument.utf8)
    }
    return bytes
  }
}

extension WorkerMessage.Trailer {
  /// Decodes a report. Returns `nil` if it is not complete yet.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func integer(_ index: Int) -> Int64 { bytes.span.integer(at: index * Int64.bitWidth / 8, as: Int64.self) }
    status = Int32(truncatingIfNeeded: integer(0))
    outputBytes = Int(integer(1))
    errorBytes = Int(integer(2))
    isLast = integer(3) != 0
  }
}
