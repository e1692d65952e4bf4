import FunnelModel
import FunnelStorage

extension StoreFiles {
  /// Opens the journal for writing; in a store without a commit, makes what is missing first and makes it last.
  ///
  /// - Parameter schemas: flow definitions a new store gets. They are there before the journal is: where that stands, nothing is missing.
  /// - Throws: `inputOutput` where the journal is gone although there are parts: to begin a new one would be to cut them all.
  func openJournal(schemas definitions: [(name: String, bytes: [UInt8])] = []) throws(FunnelError) -> File {
    if let status = try fileSystem.status(of: journal), status.size > 0 { return try fileSystem.open(journal, for: .update) }
    let isNew = try fileSystem.status(of: journal) == nil
    if isNew, try !presentParts().isEmpty { throw lostJournal }
    for folder in [PartName.Area.log, .rejected].map({ root.inside($0.rawValue) }) + [schemas] {
      if try fileSystem.status(of: folder) == nil { try fileSystem.createDirectory(folder) }
    }
    // All of it, though a command before may have made some: it may have been killed before it could do this.
    try fileSystem.syncDirectory(root)
    try syncFoldersAbove()
    if isNew { try putSchemas(definitions) }
    let file = try fileSystem.open(journal, for: .updateOrCreate)
    try fileSystem.syncDirectory(journal.parent)
    return file
  }

  /// Makes the name of the store last, and those of the folders above it. What may not be opened was not made by a command of ours.
  private func syncFoldersAbove() throws(FunnelError) {
    var folder = root
    while folder.parent != folder {
      folder = folder.parent
      do throws(FunnelError) {
        try fileSystem.syncDirectory(folder)
      } catch {
        guard error.code == .cannotCreate else { throw error }
      }
    }
  }

  /// Puts flow definitions into the store; what is there with the same bytes is left as it is.
  func putSchemas(_ definitions: [(name: String, bytes: [UInt8])]) throws(FunnelError) {
    for (name, bytes) in definitions {
      precondition(
        !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")), "a schema has a plain file name")
      let path = self.schemas.inside(name)
      if let status = try fileSystem.status(of: path), status.kind == .file, status.size == bytes.count,
        try fileSystem.readAll(path, bytesMax: bytes.count) == bytes
      {
        continue
      }
      try AtomicFile.write(path, bytes, permissions: .owner, fileSystem: fileSystem)
    }
  }
}
