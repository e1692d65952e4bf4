import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// Opens the journal for writing. In a store without a commit, creates the missing files and folders and makes them durable.
  ///
  /// - Throws: `inputOutput` if the journal was lost: an empty one would make the next step remove all log files.
  func openJournal() throws(FunnelError) -> File {
    let status = try fileSystem.status(of: journal)
    // A journal that is not a regular file is opened too, so that opening it fails with the right error.
    if let status, status.size > 0 || status.kind != .file { return try fileSystem.open(journal, for: .update) }
    if status == nil, try hasLostJournal() { throw lostJournal }
    for folder in [LogFileName.Area.log, .rejected].map({ root.inside($0.rawValue) }) + [schemas] {
      if try fileSystem.status(of: folder) == nil { try fileSystem.createDirectory(folder) }
    }
    // The folders are flushed even if they existed: an earlier command may have created them and been killed before
    // it flushed them.
    try fileSystem.syncDirectory(root)
    try syncFoldersAbove()
    let file = try fileSystem.open(journal, for: .updateOrCreate)
    try createHead()
    try fileSystem.syncDirectory(journal.parent)
    return file
  }

  /// Writes the head of commit 0 to a new store and makes it durable.
  private func createHead() throws(FunnelError) {
    // If a head records commits, or if there are log files without a head, the journal was emptied. That damage
    // must stay detectable.
    let head = try readHead(for: .writing)
    if let head, head.commit > 0 { return }
    if head == nil, try !presentLogFiles().isEmpty { return }
    try fileSystem.sync(renewHead(of: Journal()))
  }

  /// Makes the names of the store and of its ancestors durable.
  private func syncFoldersAbove() throws(FunnelError) {
    var folder = root
    while folder.parent != folder {
      folder = folder.parent
      do throws(FunnelError) {
        try fileSystem.syncDirectory(folder)
      } catch {
        // A folder that this user can't open was not created by this tool.
        guard error.code == .cannotCreate else { throw error }
      }
    }
  }

  /// Writes flow definitions to the store. Skips files that already have the same bytes.
  ///
  /// - Precondition: The names contain no slash and don't begin with a dot.
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
