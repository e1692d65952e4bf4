public import FunnelModel

/// Writes a file so that whoever reads it, at whatever moment, sees all of the old contents or all of the new.
///
///     try AtomicFile.write(StoragePath("report.html"), bytes, permissions: .shared)
public enum AtomicFile {
  /// Who may read a file that is made.
  public enum Permissions: Hashable, Sendable {
    /// Its owner alone: what lies in a store.
    case owner
    /// Whoever the user's umask lets: what the user asked to have written.
    case shared
  }

  /// Writes a new file beside the old one, flushes it, renames it over the old one and flushes the folder.
  ///
  /// A link is followed if the user named it, and its target replaced. What has no contents to keep (a pipe, a terminal, `/dev/stdout`)
  /// is written to as it is. On failure the old file is as it was.
  ///
  /// - Throws: `cannotCreate` where the path is a folder or its folder is missing or can't be written to; `inputOutput` else.
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
      // The reason it failed is what the user must hear, not whether the remains could be removed.
      try? fileSystem.remove(temporary)
      throw FunnelError(error.code, error.message.replacing(temporary.description, with: path.description))
    }
    try fileSystem.syncDirectory(target.parent)
  }

  /// What stands at a path that is to be written; that it can't even be looked at means that it can't be made.
  private static func kind(at path: StoragePath, _ fileSystem: some FileSystem) throws(FunnelError) -> FileStatus.Kind? {
    do throws(FunnelError) {
      return try fileSystem.status(of: path)?.kind
    } catch {
      throw error.code == .noInput ? FunnelError(.cannotCreate, error.message) : error
    }
  }

  /// Whether a name in a folder is that of a file that was being written when the power went.
  public static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".tmp")
  }

  /// A name that no other process, and no file left over by one that was killed, has.
  private static func temporaryName(for name: String) -> String {
    ".\(name.utf8.count > 200 ? "file" : name).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  }
}
