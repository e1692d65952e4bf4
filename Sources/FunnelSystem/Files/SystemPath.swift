#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Queries about paths that depend on the file system.
public enum SystemPath {
  /// Returns the path with all links resolved, or the unchanged path if no file exists at it.
  public static func resolvingLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether a path names a device or an open file of a process, which must never be replaced.
  static func isDevice(_ path: String) -> Bool {
    // `/dev/shm` is a folder of ordinary files in memory.
    (path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")) || path.hasPrefix("/proc/")
  }
}
