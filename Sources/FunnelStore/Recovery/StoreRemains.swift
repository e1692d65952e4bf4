package import FunnelModel
package import FunnelSystem

/// Files of a store that no commit covers and that may yet hold records: what a repair put aside into `damaged/`, and what was being written
/// when a command was killed.
package struct StoreRemains {
  private let root: StoragePath
  private let fileSystem: any FileSystem

  /// The remains in the store that a reader reads.
  package init(of store: StoreReader) {
    root = store.files.root
    fileSystem = store.files.fileSystem
  }

  /// Those that hold what is looked for, or can't be searched.
  ///
  /// - Parameter holds: whether the contents of a file hold it.
  /// - Throws: what reading throws.
  package func files(where holds: ([UInt8]) -> Bool) throws(FunnelError) -> [StoragePath] {
    var found: [StoragePath] = []
    // What a repair calls `….ndjson` can be read, the rest are bytes nobody can make sense of.
    for folder in [root, root.inside(DamagedFolder.name)] {
      guard try fileSystem.status(of: folder) != nil else { continue }
      for name in try fileSystem.list(folder) {
        let path = folder.inside(name)
        guard folder != root || AtomicFile.isTemporary(name), try fileSystem.status(of: path)?.kind == .file else { continue }
        let isText = name.hasSuffix(".ndjson") && !AtomicFile.isTemporary(name)
        if isText, try !holds(fileSystem.readAll(path, bytesMax: .max)) { continue }
        found.append(path)
      }
    }
    return found
  }

  /// Removes files, and makes that last. Only the holder of the store's lock may.
  package func remove(_ files: [StoragePath]) throws(FunnelError) {
    for file in files { try fileSystem.remove(file) }
    for folder in Set(files.map(\.parent)) { try fileSystem.syncDirectory(folder) }
  }
}
