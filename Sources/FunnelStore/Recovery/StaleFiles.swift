package import FunnelModel
package import FunnelSystem

/// The files of a store that no commit covers but that may contain records: those that a repair moved to
/// `damaged/`, and temporary files of killed commands.
package struct StaleFiles {
  private let root: StoragePath
  private let fileSystem: any FileSystem

  /// Creates a view of the stale files in a reader's store.
  package init(of store: StoreReader) {
    root = store.files.root
    fileSystem = store.files.fileSystem
  }

  /// Returns the files whose contents match a predicate, and those that can't be searched.
  ///
  /// - Parameter holds: A closure that returns whether the contents of a file match.
  /// - Throws: The errors of reading.
  package func files(where holds: ([UInt8]) -> Bool) throws(FunnelError) -> [StoragePath] {
    var found: [StoragePath] = []
    // A repair gives text files the suffix `.ndjson`. All other files contain bytes that can't be interpreted.
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

  /// Removes files and makes the removal durable. The caller must hold the store's lock.
  package func remove(_ files: [StoragePath]) throws(FunnelError) {
    for file in files { try fileSystem.remove(file) }
    for folder in Set(files.map(\.parent)) { try fileSystem.syncDirectory(folder) }
  }
}
