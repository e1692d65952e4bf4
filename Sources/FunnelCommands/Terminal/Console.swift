import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard output and standard error: data is written to the former, everything else to the latter.
enum Console {
  /// The number of bytes written so far.
  struct Written: Sendable {
    var output = 0
    var errors = 0
  }

  private static let counted = Guarded(Written())

  /// The number of bytes that were written so far to standard output and standard error.
  static var written: Written { counted.withLock { $0 } }

  /// Whether standard output is a terminal.
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is a terminal.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes the result of a command to standard output. If the reader has closed the pipe, the command continues and ends as usual:
  /// `funnel log verify | head -1` must still report a damaged log.
  static func print(_ text: String) {
    write(Array(text.utf8)) {}
  }

  /// Writes a piece of a long text to standard output. If the reader has closed the pipe, the process ends quietly, as filters do.
  static func write(_ bytes: [UInt8]) {
    write(bytes) { endAtOnce(0) }
  }

  private static func write(_ bytes: [UInt8], readerIsGone: () -> Void) {
    guard !writeAll(bytes, to: STDOUT_FILENO) else { return }
    if errno == EPIPE { return readerIsGone() }
    complain("standard output, \(String(cString: strerror(errno))), check where the output goes")
    endAtOnce(74)
  }

  /// Writes a message that is not data to standard error.
  static func note(_ text: String) {
    _ = writeAll(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes lines that are not data to standard error, each with the name of the tool in front.
  static func notes(_ lines: [String], after beginning: String = "") {
    for (index, line) in lines.enumerated() { note("funnel: \(index == 0 ? beginning : "")\(line.printable)") }
  }

  /// Writes comments on what is printed to standard error: what a draft rests on.
  static func comments(_ lines: [String]) {
    for line in lines { note("# \(line.printable)") }
  }

  /// Replaces the current line of the terminal.
  static func noteInPlace(_ text: String) {
    _ = writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Prints an error on one line: `funnel: what, where, what to do`.
  static func complain(_ message: String) {
    // A message may quote a hostile file name, so control characters must not reach the terminal.
    note("funnel: \(message.printable)")
  }

  /// Reports that the index was not written, if there was a problem: reports read the log instead.
  static func complain(aboutIndex problem: String?) {
    if let problem { complain("the index was not written, reports will read the log instead: \(problem)") }
  }

  /// Ends the process.
  static func endProcess(_ code: Int32) -> Never {
    exit(code)
  }

  /// Ends the process without running exit handlers, which may release resources that other threads still use.
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
        counted.withLock { counts in
          if descriptor == STDOUT_FILENO { counts.output += written } else { counts.errors += written }
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
