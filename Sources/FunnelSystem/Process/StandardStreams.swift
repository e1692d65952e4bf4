#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The three descriptors with which a program starts: standard input, standard output and standard error.
package enum StandardStreams {
  /// Opens the null device on every standard stream that is closed. Must be called before anything else is opened.
  ///
  /// Otherwise the next file to be opened would get the descriptor of the closed stream, and output would be
  /// written into the store's journal, or the journal read as input.
  package static func occupyClosed() {
    // As in glibc for set-user-ID programs (`csu/check_fds.c`), the mode is the one that the stream is not used in.
    // Using the stream then fails as it would if it were closed.
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // `open` returns the smallest free number. If there is no null device, the root folder serves: it can't be
      // written to either, and always exists.
      if open("/dev/null", mode) == -1 { _ = open("/", O_RDONLY) }
    }
  }
}
