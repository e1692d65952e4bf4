public import FunnelModel

extension AtomicFile {
  /// Replaces a file, or creates it, by one that a closure fills: it is written under a temporary name beside the old one, and renamed over
  /// it once it is complete.
  ///
  /// If it fails before the renaming, the old file is unchanged and the temporary one is removed. A killed process leaves its temporary file behind;
  /// ``removeTemporaries(in:fileSystem:)`` finds it by its name.
  ///
  /// - Parameters:
  ///   - target: The path of the file, which is replaced even if it is a link.
  ///   - path: The path that messages name, if it is not the target.
  ///   - isDurable: Whether file and folder are flushed. For a derived file that is checked when it is read, flushing takes only time.
  ///   - fill: Writes the contents to the new file.
  /// - Throws: The errors of `fill`, and of creating, flushing and renaming the file.
  public static func replace(
    _ target: StoragePath, shownAs path: StoragePath? = nil, permissions: Permissions, isDurable: Bool = true,
    fileSystem: some FileSystem, _ fill: (File) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let temporary = target.sibling(named: temporaryName(for: target.name))
    do throws(FunnelError) {
      let file = try fileSystem.open(temporary, for: .create(shared: permissions == .shared))
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

  /// Returns whether a file name is that of a temporary file, which a replacement left behind if its process was killed.
  public static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".tmp")
  }

  /// Removes the temporary files in a folder, if there is one. Whoever calls this must hold the lock under which such files are written.
  public static func removeTemporaries(in folder: StoragePath, fileSystem: some FileSystem) throws(FunnelError) {
    guard try fileSystem.status(of: folder)?.kind == .directory else { return }
    for name in try fileSystem.list(folder) where isTemporary(name) {
      let path = folder.inside(name)
      if try fileSystem.status(of: path)?.kind == .file { try fileSystem.remove(path) }
    }
  }

  /// Removes the temporary files that killed replacements of one file left behind, in a folder that others write to, too. Whoever calls this
  /// must hold the lock under which the file is written.
  public static func removeTemporaries(of target: StoragePath, fileSystem: some FileSystem) throws(FunnelError) {
    let folder = target.parent
    guard try fileSystem.status(of: folder)?.kind == .directory else { return }
    let prefix = temporaryPrefix(for: target.name)
    for name in try fileSystem.list(folder) where isTemporary(name) && name.hasPrefix(prefix) {
      try fileSystem.remove(folder.inside(name))
    }
  }

  /// Returns a name that differs from those of other processes and of files that a killed process left behind.
  private static func temporaryName(for name: String) -> String {
    "\(temporaryPrefix(for: name))\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  }

  private static func temporaryPrefix(for name: String) -> String {
    // With its additions the name must not exceed the 255 bytes that file systems allow.
    ".\(name.utf8.count > 200 ? "file" : name)."
  }
}
