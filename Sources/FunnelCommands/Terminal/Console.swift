import FunnelKit
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes to standard output and standard error. Data goes to standard output, all other messages go to
/// standard error.
enum Console {
  /// The numbers of bytes written to standard output and to standard error.
  struct Written: Sendable {
    var output = 0
    var errors = 0
  }

  private static let counted = Guarded(Written())

  /// The numbers of bytes written so far.
  static var written: Written { counted.withLock { $0 } }

  /// Whether standard output is a terminal.
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is a terminal.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes the result of a command to standard output. If the reader has closed the pipe, the command continues.
  static func print(_ text: String) {
    // `funnel log verify | head -1` must still exit with an error for a damaged log.
    write(Array(text.utf8)) {}
  }

  /// Writes a chunk of a long output to standard output. If the reader has closed the pipe, the process exits with code 0.
  static func write(_ bytes: [UInt8]) {
    write(bytes) { endAtOnce(0) }
  }

  /// Writes to standard output. Exits with an error if that fails.
  ///
  /// - Parameter readerIsGone: Called if the reader has closed the pipe.
  private static func write(_ bytes: [UInt8], readerIsGone: () -> Void) {
    guard !writeAll(bytes, to: STDOUT_FILENO) else { return }
    if errno == EPIPE { return readerIsGone() }
    printError("standard output, \(String(cString: strerror(errno))), check where the output goes")
    endAtOnce(FunnelError.Code.inputOutput.rawValue)
  }

  /// Writes a message to standard error as a line.
  static func note(_ text: String) {
    _ = writeAll(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes messages to standard error, each with the prefix `funnel: `.
  ///
  /// - Parameter beginning: A text to insert before the first message.
  static func notes(_ lines: [String], after beginning: String = "") {
    for (index, line) in lines.enumerated() { note("funnel: \(index == 0 ? beginning : "")\(line.printable)") }
  }

  /// Writes comments to standard error, each with the prefix `# `: the evidence for an inferred definition or mapping.
  static func comments(_ lines: [String]) {
    for line in lines { note("# \(line.printable)") }
  }

  /// Replaces the current line of the terminal on standard error.
  static func noteInPlace(_ text: String) {
    _ = writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Writes an error to standard error on one line: `funnel: what, where, what to do`.
  static func printError(_ message: String) {
    // A message may quote a hostile file name, so control characters must not reach the terminal.
    note("funnel: \(message.printable)")
  }

  /// Exits the process, with exit handlers.
  static func endProcess(_ code: Int32) -> Never {
    exit(code)
  }

  /// Exits the process without exit handlers.
  private static func endAtOnce(_ code: Int32) -> Never {
    // Exit handlers may release resources that other threads still use.
    _exit(code)
  }

  /// Writes all bytes. Returns `false` on failure, with the error in `errno`.
  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var remaining = buffer[...]
      while !remaining.isEmpty {
        let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: remaining))
        if written < 0 {
          if errno == EINTR { continue }
          return false
        }
        counted.withLock { counts in
          if descriptor == STDOUT_FILENO { counts.output += written } else { counts.errors += written }
        }
        remaining = remaining.dropFirst(written)
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

extension Environment {
  /// Returns the width in columns of the terminal at a file descriptor, or `nil` if it is not a terminal.
  ///
  /// `$COLUMNS` takes precedence, even if it is not a terminal.
  static func terminalWidth(of descriptor: Int32) -> Int? {
    if let columns = Self["COLUMNS"].flatMap(Int.init), columns > 0 { return columns }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
