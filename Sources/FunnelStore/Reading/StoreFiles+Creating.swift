import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// Opens the journal for writing; in a store without a commit, makes what is missing first and makes it last.
  ///
  /// - Throws: `inputOutput` where the journal is gone although there was one: to begin a new one would be to cut all parts.
  func openJournal() throws(FunnelError) -> File {
    let status = try fileSystem.status(of: journal)
    // A journal that is no file is opened like one, so that it is refused like one.
    if let status, status.size > 0 || status.kind != .file { return try fileSystem.open(journal, for: .update) }
    if status == nil, try hasLostJournal() { throw lostJournal }
    for folder in [PartName.Area.log, .rejected].map({ root.inside($0.rawValue) }) + [schemas] {
      if try fileSystem.status(of: folder) == nil { try fileSystem.createDirectory(folder) }
    }
    // All of it, though a command before may have made some: it may have been killed before it could do this.
    try fileSystem.syncDirectory(root)
    try syncFoldersAbove()
    let file = try fileSystem.open(journal, for: .updateOrCreate)
    try beginHead()
    try fileSystem.syncDirectory(journal.parent)
    return file
  }

  /// Gives a store that has nothing yet a head that says so, on the disk before its first part. Where there are parts, or a head that knows of
  /// commits, the journal was emptied, and nothing may hide that.
  private func beginHead() throws(FunnelError) {
    let head = try readHead(for: .writing)
    if let head, head.commit > 0 { return }
    if head == nil, try !presentParts().isEmpty { return }
    try fileSystem.sync(renewHead(of: Journal()))
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
