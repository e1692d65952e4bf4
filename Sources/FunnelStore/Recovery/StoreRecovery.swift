import FunnelModel
import FunnelSystem

/// Brings a store back to what its journal covers. Done twice, or begun and broken off, it does no harm.
struct StoreRecovery {
  let files: StoreFiles
  let journal: Journal
  let journalFile: File
  /// Whether what is cut is flushed. Not by a command that could not make its commit: a flush may be what failed, and that is never
  /// tried again. The next writer finds what is left, cuts it once more, and flushes.
  let flushes: Bool

  private var fileSystem: any FileSystem { files.fileSystem }

  init(files: StoreFiles, journal: Journal, journalFile: File, flushes: Bool = true) {
    self.files = files
    self.journal = journal
    self.journalFile = journalFile
    self.flushes = flushes
  }

  /// Cuts everything that is not covered, and says in one line what that was; nil if there was nothing.
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
    return "recovered \(files.root): cut what no commit covers (\(bytes) bytes of parts, \(journalBytes) bytes of the journal)"
  }

  /// Cuts a torn last line, and makes the line feed of the last whole one last. Returns how much was cut.
  ///
  /// The command before may have written that line feed and then been killed, or told that the disk could not take it. Written
  /// once more it is flushed once more; so what this command builds upon is on the disk. So is its name: a repair may have put a new
  /// journal there and been killed before it could flush that.
  private func cutJournal() throws(FunnelError) -> Int {
    let excess = try fileSystem.size(of: journalFile) - journal.bytes
    if excess > 0 { try fileSystem.truncate(journalFile, to: journal.bytes) }
    guard flushes else { return excess }
    if journal.bytes > 0 { try fileSystem.write([UInt8(ascii: "\n")], to: journalFile, at: journal.bytes - 1) }
    try fileSystem.sync(journalFile)
    try fileSystem.syncDirectory(files.journal.parent)
    return excess
  }

  /// Removes a part that nothing covers, and its folder with the last of them.
  private func remove(_ part: PartName) throws(FunnelError) {
    let folder = files.root.inside(part.folder)
    try fileSystem.remove(files.path(of: part))
    if flushes { try fileSystem.syncDirectory(folder) }
    guard try fileSystem.list(folder).isEmpty else { return }
    try fileSystem.removeDirectory(folder)
    if flushes { try fileSystem.syncDirectory(folder.parent) }
  }

  /// Flushes the folders in which the command before may have left names that are not on the disk: it was killed, or told that a flush failed,
  /// after its commit. Run again it finds nothing to do, and must not end well while the power could bring back what was forgotten.
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

  /// Removes what was being written when a command was killed: flow definitions, a key, a journal that was made anew, what a repair
  /// put aside.
  private func removeTemporaries() throws(FunnelError) {
    let folders = [files.root, files.journal.parent, files.schemas, files.root.inside(DamagedFolder.name)]
    for folder in folders where try fileSystem.status(of: folder)?.kind == .directory {
      for name in try fileSystem.list(folder) where AtomicFile.isTemporary(name) {
        let path = folder.inside(name)
        if try fileSystem.status(of: path)?.kind == .file { try fileSystem.remove(path) }
      }
    }
  }
}
