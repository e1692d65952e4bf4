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

  /// A range of bytes in the file.
  package struct Place {
    package var offset: Int
    package var byteCount: Int
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
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) -> Place {
    let (descriptor, offset) = try reserve(bytes.count)
    var written = 0
    while written < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(offset + written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw FunnelError(
          .inputOutput,
          "can't write temporary files in \(Self.folder.printable), \(String(cString: strerror(errno))), free some space or set TMPDIR or --memory-limit"
        )
      }
      written += count
    }
    return Place(offset: offset, byteCount: bytes.count)
  }

  /// Reads a range of the file into memory.
  ///
  /// - Parameters:
  ///   - place: A range that ``append(_:)`` returned.
  ///   - target: The address of at least `place.byteCount` bytes.
  package func read(_ place: Place, into target: UnsafeMutableRawPointer) throws(FunnelError) {
    guard let descriptor = state.withLock({ $0.descriptor }) else {
      preconditionFailure("a range was appended before it is read")
    }
    var done = 0
    while done < place.byteCount {
      let count = pread(descriptor, target + done, place.byteCount - done, off_t(place.offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw FunnelError(
          .inputOutput,
          "can't read a temporary file in \(Self.folder.printable), \(String(cString: strerror(errno))), try again")
      }
      done += count
    }
  }

  /// Creates the file if necessary, and reserves the next `count` bytes of it.
  private func reserve(_ count: Int) throws(FunnelError) -> (descriptor: Int32, offset: Int) {
    let reserved = state.withLock { state -> (Int32, Int)? in
      if state.descriptor == nil { state.descriptor = Self.make() }
      guard let descriptor = state.descriptor else { return nil }
      let offset = state.byteCount
      state.byteCount += count
      return (descriptor, offset)
    }
    guard let reserved else {
      throw FunnelError(
        .cannotCreate,
        "can't make a temporary file in \(Self.folder.printable), \(String(cString: strerror(errno))), set TMPDIR")
    }
    return reserved
  }

  /// The folder for temporary files: `/var/tmp` rather than `/tmp`, which is kept in memory on many systems.
  private static let folder: String = {
    if let named = getenv("TMPDIR").map({ String(cString: $0) }), !named.isEmpty { return named }
    return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
  }()

  /// Creates a temporary file without a name. Returns its descriptor, or `nil` with the reason in `errno`.
  private static func make() -> Int32? {
    var template = Array("\(folder)/funnel.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
