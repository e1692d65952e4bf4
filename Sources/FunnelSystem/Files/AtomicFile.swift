package import FunnelModel

/// Atomic replacement of a file: a reader sees, at any moment, all of the old contents or all of the new.
///
///     try AtomicFile.write(StoragePath("report.html"), bytes, permissions: .shared)
package enum AtomicFile {
  /// Creates or replaces a file atomically and durably.
  ///
  /// If the user named a link, the link is followed and its target replaced. A pipe, a terminal or a device such as
  /// `/dev/stdout` has no persistent contents and is written to directly. If an error is thrown, an existing file
  /// is unchanged.
  ///
  /// - Throws: `cannotCreate` if the path is a folder, or its folder is missing or can't be written to;
  ///   `inputOutput` otherwise.
  package static func write(
    _ path: StoragePath, _ bytes: [UInt8], permissions: FilePermissions = .shared,
    fileSystem: some FileSystem = LocalFileSystem()
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

extension AtomicFile {
  /// Creates or replaces a file atomically. The new contents are written to a temporary file in the same folder,
  /// which is then renamed.
  ///
  /// If an error is thrown before the renaming, the old file is unchanged and the temporary one is removed. A
  /// killed process leaves its temporary file behind, which ``removeTemporaries(in:fileSystem:)`` removes.
  ///
  /// - Parameters:
  ///   - target: The path of the file. If it is a link, the link itself is replaced.
  ///   - path: The path that messages name, or `nil` for the target.
  ///   - permissions: The access to the new file.
  ///   - isDurable: Whether the file and its folder are flushed. A derived file that is checked when it is read needs no flush.
  ///   - fill: A closure that writes the contents to the temporary file.
  /// - Throws: The errors of `fill`, and of creating, flushing and renaming the file.
  package static func replace(
    _ target: StoragePath, shownAs path: StoragePath? = nil, permissions: FilePermissions, isDurable: Bool = true,
    fileSystem: some FileSystem, _ fill: (File) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let temporary = target.sibling(named: temporaryName(for: target.name))
    do throws(FunnelError) {
      let file = try fileSystem.open(temporary, for: .create(permissions))
      try fill(file)
      if isDurable { try fileSystem.sync(file) }
      try fileSystem.rename(temporary, to: target)
    } catch {
      // Report the original failure, not one of the cleanup.
      try? fileSystem.remove(temporary)
      throw FunnelError(error.code, error.message.replacing(temporary.description, with: (path ?? target).description))
    }
    if isDurable { try fileSystem.syncDirectory(target.parent) }
  }

  /// Returns whether a file name is that of a temporary file of a replacement.
  package static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".tmp")
  }

  /// Removes all temporary files in a folder that killed processes left behind. Does nothing if there is no folder.
  ///
  /// The caller must hold the lock under which such files are written.
  package static func removeTemporaries(in folder: StoragePath, fileSystem: some FileSystem) throws(FunnelError) {
    guard try fileSystem.status(of: folder)?.kind == .directory else { return }
    for name in try fileSystem.list(folder) where isTemporary(name) {
      let path = folder.inside(name)
      if try fileSystem.status(of: path)?.kind == .file { try fileSystem.remove(path) }
    }
  }

  /// Removes the temporary files of one target that killed processes left behind. Those of other files in the folder stay.
  ///
  /// The caller must hold the lock under which the target is written.
  package static func removeTemporaries(of target: StoragePath, fileSystem: some FileSystem) throws(FunnelError) {
    let folder = target.parent
    guard try fileSystem.status(of: folder)?.kind == .directory else { return }
    let prefix = temporaryPrefix(for: target.name)
    for name in try fileSystem.list(folder) where isTemporary(name) && name.hasPrefix(prefix) {
      try fileSystem.remove(folder.inside(name))
    }
  }

  /// Returns a new, random name for a temporary file.
  private static func temporaryName(for name: String) -> String {
    "\(temporaryPrefix(for: name))\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  }

  /// The longest file name that a temporary name contains. With the additions it must not exceed the 255 bytes that
  /// file systems allow.
  private static let nameBytesMax = 200

  private static func temporaryPrefix(for name: String) -> String {
    ".\(name.utf8.count > nameBytesMax ? "file" : name)."
  }
}
