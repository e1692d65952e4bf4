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

  /// Writes a new file beside the old one, flushes it, renames it over the old one and flushes the folder.
  ///
  /// If the user named a link, it is followed and its target replaced. A file without persistent contents (a pipe, a terminal,
  /// `/dev/stdout`) is written to directly. On failure the old file is unchanged.
  ///
  /// - Throws: `cannotCreate` if the path is a folder, or its folder is missing or can't be written to; `inputOutput` otherwise.
  public static func write(
    _ path: StoragePath, _ bytes: [UInt8], permissions: Permissions = .shared, fileSystem: some FileSystem = LocalFileSystem()
  ) throws(FunnelError) {
    var target = path
    switch try kind(at: path, fileSystem) {
    case .directory:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is a folder, name a file")
    case .other where !path.inside.isEmpty:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is no regular file, put the real file there")
    case .other:
      return try fileSystem.write(bytes, to: fileSystem.open(path, for: .stream), at: 0)
    case .link:
      throw FunnelError(.cannotCreate, "cannot write \(path): it is a link, put a real file there")
    case .file, nil:
      if path.inside.isEmpty { target = StoragePath(SystemPath.resolvingLinks(path.base)) }
    }
    if SystemPath.isDevice(path.base) { return try fileSystem.write(bytes, to: fileSystem.open(path, for: .stream), at: 0) }
    let temporary = target.sibling(named: temporaryName(for: target.name))
    do throws(FunnelError) {
      let file = try fileSystem.open(temporary, for: .create(shared: permissions == .shared))
      try fileSystem.write(bytes, to: file, at: 0)
      try fileSystem.sync(file)
      try fileSystem.rename(temporary, to: target)
    } catch {
      // Report the original failure, not one of the cleanup.
      try? fileSystem.remove(temporary)
      throw FunnelError(error.code, error.message.replacing(temporary.description, with: path.description))
    }
    try fileSystem.syncDirectory(target.parent)
  }

  /// Returns the kind of the file at a path that is to be written. A path that can't be examined can't be created either.
  private static func kind(at path: StoragePath, _ fileSystem: some FileSystem) throws(FunnelError) -> FileStatus.Kind? {
    do throws(FunnelError) {
      return try fileSystem.status(of: path)?.kind
    } catch {
      throw error.code == .noInput ? FunnelError(.cannotCreate, error.message) : error
    }
  }

  /// Returns whether a file name is that of a temporary file, which a write left behind when it was interrupted.
  public static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".tmp")
  }

  /// Returns a name that differs from those of other processes and of files that a killed process left behind.
  private static func temporaryName(for name: String) -> String {
    ".\(name.utf8.count > 200 ? "file" : name).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  }
}
