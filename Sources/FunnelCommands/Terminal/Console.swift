import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard output and standard error: data goes to the one, everything else to the other.
enum Console {
  /// Whether a person is looking at standard output.
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether a person is looking at standard error.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes what a command came to to standard output. When the reader is gone that is nobody's concern; the command goes on, and ends as it
  /// would have: `funnel log verify | head -1` does not make a damaged log a sound one.
  static func print(_ text: String) {
    write(Array(text.utf8)) {}
  }

  /// Writes a piece of a long text to standard output. When the reader is gone the process ends quietly, as any filter does.
  static func write(_ bytes: [UInt8]) {
    write(bytes) { endAtOnce(0) }
  }

  private static func write(_ bytes: [UInt8], readerIsGone: () -> Void) {
    guard !writeAll(bytes, to: STDOUT_FILENO) else { return }
    if errno == EPIPE { return readerIsGone() }
    complain("standard output, \(String(cString: strerror(errno))), check where the output goes")
    endAtOnce(74)
  }

  /// Tells the person something that is not data.
  static func note(_ text: String) {
    _ = writeAll(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Replaces the line the cursor of a terminal stands in.
  static func noteInPlace(_ text: String) {
    _ = writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Prints an error: one line, `funnel: what, where, what to do`.
  static func complain(_ message: String) {
    // What a message quotes may be a hostile file name: nothing of it reaches the terminal as it is.
    note("funnel: \(message.printable)")
  }

  /// Ends the process.
  static func endProcess(_ code: Int32) -> Never {
    exit(code)
  }

  /// Ends the process while other threads may be at work: what libraries tidy up at the end of a process they may be using.
  private static func endAtOnce(_ code: Int32) -> Never {
    _exit(code)
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if written < 0 {
          if errno == EINTR { continue }
          return false
        }
        rest = rest.dropFirst(written)
      }
      return true
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
