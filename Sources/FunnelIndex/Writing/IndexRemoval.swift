package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// Takes the index off the disk: before an erasure, as it holds hashes of subjects and ids made of them.
package enum IndexRemoval {
  /// Whether a store has files of an index that does not stand for it as it is; nobody will miss them, and nobody knows what is in them.
  package static func hasRemains(in writer: StoreWriter) throws(FunnelError) -> Bool {
    let (store, fileSystem) = (writer.reader, writer.fileSystem)
    let folder = IndexFolder(store).path
    guard try fileSystem.status(of: folder) != nil, try !fileSystem.list(folder).isEmpty else { return false }
    return JourneyIndex.open(for: store) == nil
  }

  /// Removes everything in the index's folder, also what was left there by a writer that was killed, and makes that last.
  ///
  /// Reports read the log until an index is made anew.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` where a file can't be removed.
  package static func run(in writer: StoreWriter) throws(FunnelError) {
    let (folder, fileSystem) = (IndexFolder(writer.reader).path, writer.fileSystem)
    guard try fileSystem.status(of: folder) != nil else { return }
    for name in try fileSystem.list(folder) {
      let path = folder.inside(name)
      // A folder that somebody put there is no file of ours.
      if try fileSystem.status(of: path)?.kind != .directory { try fileSystem.remove(path) }
    }
    try fileSystem.syncDirectory(folder)
  }
}
