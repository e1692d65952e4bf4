import FunnelModel
import FunnelSystem

/// Restores a store to what its journal covers. It is idempotent, and may be interrupted at any point.
struct StoreRecovery {
  let files: StoreFiles
  let journal: Journal
  let journalFile: File
  /// Whether cuts are flushed. A command that could not make its commit does not flush: a flush may be what failed, and a failed flush is
  /// never retried. The next writer finds what is left, cuts it again, and flushes.
  let flushes: Bool

  private var fileSystem: any FileSystem { files.fileSystem }

  init(files: StoreFiles, journal: Journal, journalFile: File, flushes: Bool = true) {
    self.files = files
    self.journal = journal
    self.journalFile = journalFile
    self.flushes = flushes
  }

  /// Cuts everything that is not covered. Returns one line that describes it, or nil if there was nothing to cut.
  func run() throws(FunnelError) -> String? {
    let journalBytes = try cutJournal()
    var (bytes, parts) = (0, 0)
    for part in try files.presentParts() {
      let covered = journal.coverage.bytes(of: part)
      let path = files.path(of: part)
      let size = try fileSystem.status(of: path)?.size ?? 0
      if journal.coverage.parts[part] == nil {
        try remove(part)
      } else if size > covered {
        let file = try fileSystem.open(path, for: .update)
        try fileSystem.truncate(file, to: covered)
        if flushes { try fileSystem.sync(file) }
      } else {
        continue
      }
      parts += 1
      bytes += size - covered
    }
    try removeTemporaries()
    if flushes { try flushNames() }
    guard journalBytes + parts > 0 else { return nil }
    return
      "recovered \(files.root): removed what an interrupted command left (\(bytes) bytes of parts, \(journalBytes) bytes of the journal)"
  }

  /// Cuts a torn last line, and makes the last complete line durable. Returns the number of bytes cut.
  ///
  /// An earlier command may have written that line feed and then been killed, or received an error from its flush. The line feed is written
  /// again so that this command's flush covers it, and everything this command builds on is durable. So is the journal's name: a repair may
  /// have put a new journal there and been killed before it could flush the folder.
  private func cutJournal() throws(FunnelError) -> Int {
    let excess = try fileSystem.size(of: journalFile) - journal.bytes
    if excess > 0 { try fileSystem.truncate(journalFile, to: journal.bytes) }
    guard flushes else { return excess }
    if journal.bytes > 0 { try fileSystem.write([UInt8(ascii: "\n")], to: journalFile, at: journal.bytes - 1) }
    try fileSystem.sync(journalFile)
    try fileSystem.syncDirectory(files.journal.parent)
    return excess
  }

  /// Removes a part that no commit covers, and its folder if that is then empty.
  private func remove(_ part: LogFileName) throws(FunnelError) {
    let folder = files.root.inside(part.folder)
    try fileSystem.remove(files.path(of: part))
    if flushes { try fileSystem.syncDirectory(folder) }
    guard try fileSystem.list(folder).isEmpty else { return }
    try fileSystem.removeDirectory(folder)
    if flushes { try fileSystem.syncDirectory(folder.parent) }
  }

  /// Flushes the folders in which an earlier command may have left changed names that are not durable: it was killed, or a flush failed,
  /// after its commit. Run again, that command finds nothing to do, and must not succeed while a power failure could bring back what was
  /// forgotten.
  private func flushNames() throws(FunnelError) {
    var folders: Set<StoragePath> = []
    for part in journal.commits.last?.removed ?? [] {
      let folder = files.root.inside(part.folder)
      folders.formUnion([folder, folder.parent])
    }
    let damaged = files.root.inside(DamagedFolder.name)
    if try fileSystem.status(of: damaged) != nil { folders.formUnion([damaged, files.root]) }
    for folder in folders.sorted(by: { $0.description < $1.description })
    where try fileSystem.status(of: folder)?.kind == .directory {
      try fileSystem.syncDirectory(folder)
    }
  }

  /// Removes the temporary files of a command that was killed: flow definitions, a key, a rebuilt journal, what a repair set aside, a part
  /// of the index.
  private func removeTemporaries() throws(FunnelError) {
    for folder in [files.root, files.journal.parent, files.schemas, files.root.inside(DamagedFolder.name)] {
      try AtomicFile.removeTemporaries(in: folder, fileSystem: fileSystem)
    }
    // The index is derived: a problem with its folder must not keep a command from writing the log.
    try? AtomicFile.removeTemporaries(in: files.index, fileSystem: fileSystem)
  }
}
