import FunnelModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls that take addresses, with a safe interface. Interrupted calls are repeated.
///
/// Invariants, on which all calls rely:
/// - The kernel writes at most as many bytes as it is told, into the free memory of an ``Swift/OutputSpan``, and returns
///   their number.
/// - No address is kept after a call.
enum SystemCalls {
  /// Appends the next bytes of a file or a pipe to the output: none at its end.
  static func read(_ descriptor: Int32, into output: inout OutputSpan<UInt8>) throws(SystemError) {
    try append(to: &output) { systemRead(descriptor, $0, $1) }
  }

  /// Appends the bytes at an offset to the output, until it is full or the file ends.
  static func read(_ descriptor: Int32, at offset: Int, into output: inout OutputSpan<UInt8>) throws(SystemError) {
    let start = output.count
    while !output.isFull {
      let before = output.count
      try append(to: &output) { pread(descriptor, $0, $1, off_t(offset + before - start)) }
      if output.count == before { return }
    }
  }

  /// Writes bytes to a file or a pipe. Returns the number of bytes written, which may be smaller.
  static func write(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemError) -> Int {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      try checked { systemWrite(descriptor, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes all bytes at an offset of a file. A pipe or a terminal, which has no offsets, is written to as it is.
  static func write(_ bytes: Span<UInt8>, to descriptor: Int32, at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let unwritten = bytes.extracting(droppingFirst: written)
      do throws(SystemError) {
        written += try unwritten.withUnsafeBufferPointer { (bytes) throws(SystemError) in
          try checked { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset + written)) }
        }
      } catch {
        guard error.number == ESPIPE else { throw error }
        written += try write(unwritten, to: descriptor)
      }
      assert(written <= bytes.count, "the kernel writes no more than it is given")
    }
  }

  /// Returns the path with all links resolved, or `nil` if no file exists at it.
  static func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Calls a closure with each entry of an open folder, in no particular order. Closes the descriptor.
  ///
  /// - Parameter failure: A closure that returns the error for a failed call and its `errno`.
  static func forEachEntry(
    inOpen descriptor: Int32, failure: (FolderListing.Step, Int32) -> FunnelError,
    _ body: (FolderEntry) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    guard let stream = fdopendir(descriptor) else {
      let number = errno
      _ = close(descriptor)
      throw failure(.open, number)
    }
    defer { closedir(stream) }
    while true {
      // A nil entry is the end of the folder if the error number is unchanged.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let mayBeFolder = [DT_DIR, DT_UNKNOWN].contains { Int32($0) == Int32(entry.pointee.d_type) }
      // The name ends in a zero within the entry.
      let found = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          FolderEntry(name: String(cString: $0), hasTextName: String(validatingCString: $0) != nil, mayBeFolder: mayBeFolder)
        }
      }
      try body(found)
    }
    guard errno == 0 else { throw failure(.read, errno) }
  }

  #if canImport(Glibc)
    // Functions of glibc that Swift's Glibc module does not export.

    /// `posix_spawn_file_actions_addclosefrom_np`, or `nil` before glibc 2.34.
    static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }
    /// `mallopt` of malloc.h, or `nil` if there is none.
    static let mallopt = dlsym(nil, "mallopt").map {
      unsafeBitCast($0, to: (@convention(c) (Int32, Int32) -> Int32).self)
    }
  #endif

  /// Calls a system call with the address and the size of the free memory of an output, and appends the bytes it wrote.
  private static func append(
    to output: inout OutputSpan<UInt8>, _ call: (_ start: UnsafeMutableRawPointer, _ count: Int) -> Int
  ) throws(SystemError) {
    precondition(!output.isFull, "a read has room for a byte")
    try output.withUnsafeMutableBufferPointer { (buffer, initializedCount) throws(SystemError) in
      let free = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[initializedCount...])
      let count = try checked { call(free.baseAddress!, free.count) }
      precondition(count <= free.count, "the kernel reads no more than it is told")
      initializedCount += count
    }
  }

  /// Returns the result of a system call, or throws its error. Repeats interrupted calls.
  private static func checked(_ call: () -> Int) throws(SystemError) -> Int {
    let result = retried(call)
    guard result >= 0 else { throw .last }
    return result
  }
}

extension Span<UInt8> {
  /// Returns the index of the first byte of a value from an index on, or `nil` if there is none.
  package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    precondition((0...count).contains(start), "the search starts in the bytes")
    return extracting(droppingFirst: start).withUnsafeBytes { bytes in
      // The C library searches whole vector registers.
      guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else { return nil }
      return start + (UnsafeRawPointer(found) - base)
    }
  }
}

/// The error number of a failed system call.
struct SystemError: Error {
  /// The value of `errno`.
  let number: Int32

  /// The error of the call that failed last on this thread.
  static var last: SystemError { SystemError(number: errno) }

  /// The system's description of the error, such as "No space left on device".
  var reason: String { String(cString: strerror(number)) }
}

/// Returns the result of a system call. Repeats the call as long as a signal interrupts it.
@inline(__always)
package func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

// Inside a type with methods `read` and `write`, the functions of the C library can't be called by their names.
private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, start, count)
}
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}
