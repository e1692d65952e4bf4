#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Facts about a path that only the system knows.
public enum SystemPath {
  /// Returns the path with all links resolved, or the path itself if there is nothing at it.
  public static func resolvingLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether a path names an open file of this process or a device rather than a name in a folder: these are never replaced.
  ///
  /// `/dev/shm`, memory that is mounted as a folder, holds ordinary files.
  static func isDevice(_ path: String) -> Bool {
    (path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")) || path.hasPrefix("/proc/")
  }
}
