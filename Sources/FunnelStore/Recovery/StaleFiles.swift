package import FunnelModel
package import FunnelSystem

/// The files of a store that no commit covers and that may still hold records: what a repair set aside in `damaged/`, and temporary files
/// of a command that was killed.
package struct StaleFiles {
  private let root: StoragePath
  private let fileSystem: any FileSystem

  /// Creates a view of the remains in a reader's store.
  package init(of store: StoreReader) {
    root = store.files.root
    fileSystem = store.files.fileSystem
  }

  /// Returns the files that hold what is looked for, or that can't be searched.
  ///
  /// - Parameter holds: returns whether the contents of a file hold it.
  /// - Throws: the errors of reading.
  package func files(where holds: ([UInt8]) -> Bool) throws(FunnelError) -> [StoragePath] {
    var found: [StoragePath] = []
    // Files that a repair named `….ndjson` hold text; the others hold bytes that can't be interpreted.
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

  /// Removes files and makes the removal durable. Only the holder of the store's lock may call this.
  package func remove(_ files: [StoragePath]) throws(FunnelError) {
    for file in files { try fileSystem.remove(file) }
    for folder in Set(files.map(\.parent)) { try fileSystem.syncDirectory(folder) }
  }
}
