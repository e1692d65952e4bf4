package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// The removal of the index from the disk before an erasure, because the index contains the subjects and their hashes.
package enum IndexRemoval {
  /// Returns whether a store has index files that do not match its log. Such files are unusable, and may
  /// contain any subject.
  package static func hasStaleFiles(in writer: StoreWriter) throws(FunnelError) -> Bool {
    let store = writer.reader
    let fileSystem = writer.fileSystem
    let folder = IndexFolder(store).path
    guard try fileSystem.status(of: folder) != nil, try !fileSystem.list(folder).isEmpty else { return false }
    return (try? EventIndex.open(for: store)) == nil
  }

  /// Removes all files in the index's folder, also those of a writer that was killed, and flushes the removal
  /// to the disk.
  ///
  /// Reports read the log until the index is rebuilt.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if a file can't be removed.
  package static func run(in writer: StoreWriter) throws(FunnelError) {
    let folder = IndexFolder(writer.reader).path
    let fileSystem = writer.fileSystem
    guard try fileSystem.status(of: folder) != nil else { return }
    for name in try fileSystem.list(folder) {
      let path = folder.inside(name)
      // A subfolder was not created by this program.
      if try fileSystem.status(of: path)?.kind != .directory { try fileSystem.remove(path) }
    }
    try fileSystem.syncDirectory(folder)
  }
}
