package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A temporary file for data that does not fit into memory. Thread-safe.
///
/// The file has no name: it is unlinked at once, so the kernel removes it when the process ends, even after a crash.
package final class SpillFile: Sendable {
  private let state = Guarded(State())

  private struct State {
    /// The descriptor, or `nil` before the first append.
    var descriptor: Int32?
    var byteCount = 0
  }

  /// A range of bytes in the file, as returned by ``append(_:)``.
  package struct Segment {
    let offset: Int
    package let byteCount: Int
  }

  /// Creates an empty file. It is created on the disk by the first append.
  package init() {}

  deinit {
    state.withLock { state in
      if let descriptor = state.descriptor { _ = close(descriptor) }
    }
  }

  /// Appends bytes and returns their range in the file.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if the temporary folder can't hold them.
  package func append(_ bytes: Span<UInt8>) throws(FunnelError) -> Segment {
    let (descriptor, offset) = try reserve(bytes.count)
    do throws(SystemError) {
      try SystemCalls.write(bytes, to: descriptor, at: offset)
    } catch {
      throw FunnelError(
        .inputOutput,
        "can't write temporary files in \(Self.folder.printable), \(error.reason), free some space or set TMPDIR or --memory-limit"
      )
    }
    return Segment(offset: offset, byteCount: bytes.count)
  }

  /// Reads a range of the file, and appends its bytes to the output.
  ///
  /// - Precondition: ``append(_:)`` returned the range, and the output has exactly enough room for it.
  package func read(_ segment: Segment, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    precondition(output.freeCapacity == segment.byteCount, "the output has room for the range")
    guard let descriptor = state.withLock({ $0.descriptor }) else {
      preconditionFailure("a range was appended before it is read")
    }
    do throws(SystemError) {
      try SystemCalls.read(descriptor, at: segment.offset, into: &output)
      // The file has no name, so only a failing disk shortens it.
      guard output.isFull else { throw SystemError(number: EIO) }
    } catch {
      throw FunnelError(
        .inputOutput, "can't read a temporary file in \(Self.folder.printable), \(error.reason), try again")
    }
  }

  /// Creates the file if necessary, and reserves the next `count` bytes of it.
  private func reserve(_ count: Int) throws(FunnelError) -> (descriptor: Int32, offset: Int) {
    try state.withLock { (state) throws(FunnelError) -> (descriptor: Int32, offset: Int) in
      let descriptor: Int32
      if let created = state.descriptor { descriptor = created } else { descriptor = try Self.create() }
      state.descriptor = descriptor
      let offset = state.byteCount
      state.byteCount += count
      return (descriptor, offset)
    }
  }

  /// The folder for temporary files: `/var/tmp` rather than `/tmp`, which is kept in memory on many systems.
  private static let folder: String = {
    if let named = getenv("TMPDIR").map({ String(cString: $0) }), !named.isEmpty { return named }
    return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
  }()

  /// Creates a temporary file without a name. Returns its descriptor.
  private static func create() throws(FunnelError) -> Int32 {
    var template = Array("\(folder)/funnel.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw FunnelError(
        .cannotCreate, "can't make a temporary file in \(folder.printable), \(SystemError.last.reason), set TMPDIR")
    }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
