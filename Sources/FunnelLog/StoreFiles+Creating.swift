import FunnelModel
import FunnelStorage

extension StoreFiles {
  /// Opens the journal for writing; in a store without a commit, makes what is missing first and makes it last.
  ///
  /// - Throws: `inputOutput` where the journal is gone although there are parts: to begin a new one would be to cut them all.
  func openJournal() throws(FunnelError) -> File {
    let status = try fileSystem.status(of: journal)
    // A journal that is no file is opened like one, so that it is refused like one.
    if let status, status.size > 0 || status.kind != .file { return try fileSystem.open(journal, for: .update) }
    if status == nil, try !presentParts().isEmpty { throw lostJournal }
    for folder in [PartName.Area.log, .rejected].map({ root.inside($0.rawValue) }) + [schemas] {
      if try fileSystem.status(of: folder) == nil { try fileSystem.createDirectory(folder) }
    }
    let file = try fileSystem.open(journal, for: .updateOrCreate)
    // All of it, though a command before may have made some: it may have been killed before it could do this.
    try fileSystem.syncDirectory(journal.parent)
    try fileSystem.syncDirectory(root)
    return file
  }
}
