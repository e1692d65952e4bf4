#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What only the system knows of a path.
enum SystemPath {
  /// The path with all links followed, or as it is where nothing stands there.
  static func resolvingLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a path names an open file of this process or a device rather than a name in a folder: these are never replaced.
  ///
  /// Memory that is mounted as a folder, `/dev/shm`, is a place for files like any other.
  static func isDevice(_ path: String) -> Bool {
    (path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")) || path.hasPrefix("/proc/")
  }
}
