#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The three descriptors with which a program is started: standard input, standard output, standard error.
public enum StandardStreams {
  /// Opens those that are closed. Must be called before anything else is opened.
  ///
  /// Otherwise the next file to be opened would get the number of a closed one: output would be written into the store's journal, or the
  /// journal be read as the input. As glibc does for set-user-ID programs (`csu/check_fds.c`), the null device is opened in the mode that
  /// the stream is not used in, so that using the stream fails as it does if it is closed.
  public static func occupyClosed() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // `open` returns the smallest free number. If there is no null device, the root folder serves: it can't be written to either, and
      // always exists.
      if open("/dev/null", mode) == -1 { _ = open("/", O_RDONLY) }
    }
  }
}
