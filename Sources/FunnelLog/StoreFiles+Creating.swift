import FunnelModel
import FunnelStorage

extension StoreFiles {
  /// Opens the journal for writing; in a store without a commit, makes what is missing first and makes it last.
  ///
  /// - Throws: `inputOutput` where the journal is gone although there are parts: to begin a new one would be to cut them all.
  func openJournal() throws(FunnelError) -> File {
    if let status = try fileSystem.status(of: journal), status.size > 0 { return try fileSystem.open(journal, for: .update) }
    if try fileSystem.status(of: journal) == nil, try !presentParts().isEmpty { throw lostJournal }
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
