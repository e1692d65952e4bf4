#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process's environment and the machine it runs on.
enum Environment {
  /// Returns the value of an environment variable, or `nil` if it is not set.
  static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The number of available processors, at least one.
  static var processorCount: Int {
    return max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
  }

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
