package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// Removes the index from the disk before an erasure, because it contains hashes of subjects, and ids derived from them.
package enum IndexRemoval {
  /// Returns whether a store has index files that do not match its current state. They are of no use, and their content is unknown.
  package static func hasStaleFiles(in writer: StoreWriter) throws(FunnelError) -> Bool {
    let (store, fileSystem) = (writer.reader, writer.fileSystem)
    let folder = IndexFolder(store).path
    guard try fileSystem.status(of: folder) != nil, try !fileSystem.list(folder).isEmpty else { return false }
    return EventIndex.open(for: store) == nil
  }

  /// Removes all files in the index's folder, including those left by a writer that was killed, and makes the removal durable.
  ///
  /// Reports read the log until the index is rebuilt.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if a file can't be removed.
  package static func run(in writer: StoreWriter) throws(FunnelError) {
    let (folder, fileSystem) = (IndexFolder(writer.reader).path, writer.fileSystem)
    guard try fileSystem.status(of: folder) != nil else { return }
    for name in try fileSystem.list(folder) {
      let path = folder.inside(name)
      // A folder in it was not created by this program.
      if try fileSystem.status(of: path)?.kind != .directory { try fileSystem.remove(path) }
    }
    try fileSystem.syncDirectory(folder)
  }
}
