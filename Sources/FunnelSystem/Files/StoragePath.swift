/// A path whose first part was named by the user and is trusted, and whose second part is not.
///
/// Links in the `base`, such as the path of a store, are followed as usual. Links in the path `inside` it are never
/// followed: a user who can create a link in a store must not be able to redirect a read or a write.
package struct StoragePath: Hashable, Sendable, CustomStringConvertible {
  /// The path that the user named, or `.` for the working directory.
  package let base: String
  /// The names below the base, separated by single slashes; empty for the base itself.
  package let inside: String

  /// Creates a path that the user named. An empty one means the working directory.
  package init(_ base: String) {
    self.base = base.isEmpty ? "." : base
    inside = ""
  }

  private init(base: String, inside: String) {
    self.base = base
    self.inside = inside
  }

  /// Returns a path below this one, in which no link is followed. The names are separated by slashes, and none is `.` or `..`.
  package func inside(_ names: String) -> StoragePath {
    if names.isEmpty { return self }
    return StoragePath(base: base, inside: inside.isEmpty ? names : inside + "/" + names)
  }

  /// The folder that contains this path.
  package var parent: StoragePath {
    if let slash = inside.utf8.lastIndex(of: UInt8(ascii: "/")) {
      return StoragePath(base: base, inside: String(inside[..<slash]))
    }
    return inside.isEmpty ? StoragePath(Self.parent(of: base)) : StoragePath(base: base, inside: "")
  }

  /// The last component of the path.
  package var name: String {
    let path = inside.isEmpty ? Self.withoutTrailingSlashes(base) : inside[...]
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path != "/" else { return String(path) }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Returns the path of another file in the same folder.
  package func sibling(named name: String) -> StoragePath {
    if !inside.isEmpty { return parent.inside(name) }
    let folder = Self.parent(of: base)
    return StoragePath(folder.hasSuffix("/") ? folder + name : folder + "/" + name)
  }

  /// The whole path, for messages and for system calls that follow links.
  package var description: String {
    if inside.isEmpty { return base }
    return base.hasSuffix("/") ? base + inside : base + "/" + inside
  }

  private static func parent(of path: String) -> String {
    let trimmed = withoutTrailingSlashes(path)
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  private static func withoutTrailingSlashes(_ path: String) -> Substring {
    var trimmed = path[...]
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    return trimmed
  }
}

/// Queries about paths that depend on the file system.
package enum SystemPath {
  /// Returns the path with all links resolved, or the unchanged path if no file exists at it.
  package static func resolvingLinks(_ path: String) -> String { SystemCalls.resolvedPath(path) ?? path }

  /// Returns whether a path names a device or an open file of a process, which must never be replaced.
  static func isDevice(_ path: String) -> Bool {
    // `/dev/shm` is a folder of ordinary files in memory.
    (path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")) || path.hasPrefix("/proc/")
  }
}
