#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The three descriptors that a program is started with: standard input, standard output, standard error.
public enum StandardStreams {
  /// Takes the place of those that are closed. Must come before anything else is opened.
  ///
  /// The next file that is opened would get the number of one that is closed: what is printed would be written into the store's journal, or
  /// the journal be read as the input. As glibc does for programs that run with another's rights (`csu/check_fds.c`), the null device is opened
  /// for just what nobody does with the stream, so that to use it fails as it does where it is closed.
  public static func occupyClosed() {
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The smallest free number is given. A folder can't be written to either, and every system has this one.
      if open("/dev/null", mode) == -1 { _ = open("/", O_RDONLY) }
    }
  }
}
