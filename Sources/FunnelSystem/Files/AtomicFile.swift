public import FunnelModel

/// Atomic replacement of a file: a reader sees, at any moment, all of the old contents or all of the new.
///
///     try AtomicFile.write(StoragePath("report.html"), bytes, permissions: .shared)
public enum AtomicFile {
  /// The access to a newly created file.
  public enum Permissions: Hashable, Sendable {
    /// Its owner only: for files in a store.
    case owner
    /// Everyone the user's umask admits: for files the user asked for.
    case shared
  }

  /// Creates or replaces a file atomically and durably.
  ///
  /// If the user named a link, the link is followed and its target replaced. A pipe, a terminal or a device such as
  /// `/dev/stdout` has no persistent contents and is written to directly. If an error is thrown, an existing file
  /// is unchanged.
  ///
  /// - Throws: `cannotCreate` if the path is a folder, or its folder is missing or can't be written to;
  ///   `inputOutput` otherwise.
  public static func write(
    _ path: StoragePath, _ bytes: [UInt8], permissions: Permissions = .shared, fileSystem: some FileSystem = LocalFileSystem()
  ) throws(FunnelError) {
    var target = path
    switch try kind(at: path, fileSystem) {
    case .directory:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is a folder, name a file")
    case .other where !path.inside.isEmpty:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is not a regular file, put the real file there")
    case .other:
      return try fileSystem.write(bytes, to: fileSystem.open(path, for: .stream), at: 0)
    case .link:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is a link, put a real file there")
    case .file, nil:
      if path.inside.isEmpty { target = StoragePath(SystemPath.resolvingLinks(path.base)) }
    }
    if SystemPath.isDevice(path.base) { return try fileSystem.write(bytes, to: fileSystem.open(path, for: .stream), at: 0) }
    try replace(target, shownAs: path, permissions: permissions, fileSystem: fileSystem) { (file) throws(FunnelError) in
      try fileSystem.write(bytes, to: file, at: 0)
    }
  }

  /// Returns the kind of the file at a path that is to be written, or `nil` if there is none.
  ///
  /// - Throws: `cannotCreate` if the path can't be examined, because then it can't be created either.
  private static func kind(at path: StoragePath, _ fileSystem: some FileSystem) throws(FunnelError) -> FileStatus.Kind? {
    do throws(FunnelError) {
      return try fileSystem.status(of: path)?.kind
    } catch {
      throw error.code == .noInput ? FunnelError(.cannotCreate, error.message) : error
    }
  }
}
