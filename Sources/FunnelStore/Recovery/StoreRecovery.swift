import FunnelModel
import FunnelSystem

/// The recovery of a store after an interrupted commit: removes everything that the journal does not cover.
///
/// It is idempotent and may be interrupted at any point.
struct StoreRecovery {
  let files: StoreFiles
  let journal: Journal
  let journalFile: File
  /// Whether the changes are flushed.
  let flushes: Bool

  private var fileSystem: any FileSystem { files.fileSystem }

  /// Creates the recovery of a store.
  ///
  /// - Parameter flushes: Whether the changes are flushed. A command whose commit failed passes `false`: the flush
  ///   may be what failed, and a failed flush must not be retried. The next writer recovers the store again, with
  ///   flushes.
  init(files: StoreFiles, journal: Journal, journalFile: File, flushes: Bool = true) {
    precondition(journal.damage == nil, "nothing is removed from a damaged store")
    self.files = files
    self.journal = journal
    self.journalFile = journalFile
    self.flushes = flushes
  }

  /// Recovers the store. Returns a description in one line, or `nil` if there was nothing to remove.
  func run() throws(FunnelError) -> String? {
    let journalBytes = try truncateJournal()
    var bytes = 0
    var logFiles = 0
    for logFile in try files.presentLogFiles() {
      let covered = journal.coverage.bytes(of: logFile)
      let path = files.path(of: logFile)
      let size = try fileSystem.status(of: path)?.size ?? 0
      if journal.coverage.logFiles[logFile] == nil {
        try remove(logFile)
      } else if size > covered {
        let file = try fileSystem.open(path, for: .update)
        try fileSystem.truncate(file, to: covered)
        if flushes { try fileSystem.sync(file) }
      } else {
        continue
      }
      logFiles += 1
      bytes += size - covered
    }
    try removeTemporaries()
    if flushes { try flushNames() }
    guard journalBytes + logFiles > 0 else { return nil }
    return
      "recovered \(files.root): removed what an interrupted command left (\(bytes) bytes of parts, \(journalBytes) bytes of the journal)"
  }

  /// Removes an incomplete last line, and makes the last complete line durable. Returns the number of bytes removed.
  private func truncateJournal() throws(FunnelError) -> Int {
    let excess = try fileSystem.size(of: journalFile) - journal.bytes
    if excess > 0 { try fileSystem.truncate(journalFile, to: journal.bytes) }
    guard flushes else { return excess }
    // The command that wrote the last line feed may have been killed before its flush, or the flush may have
    // failed. The line feed is written again, so that this flush covers it. The folder is flushed because an
    // interrupted repair may have replaced the journal.
    if journal.bytes > 0 { try fileSystem.write([UInt8(ascii: "\n")], to: journalFile, at: journal.bytes - 1) }
    try fileSystem.sync(journalFile)
    try fileSystem.syncDirectory(files.journal.parent)
    return excess
  }

  /// Removes a log file that no commit covers, and its folder if it becomes empty.
  private func remove(_ logFile: LogFileName) throws(FunnelError) {
    let folder = files.root.inside(logFile.folder)
    try fileSystem.remove(files.path(of: logFile))
    if flushes { try fileSystem.syncDirectory(folder) }
    guard try fileSystem.list(folder).isEmpty else { return }
    try fileSystem.removeDirectory(folder)
    if flushes { try fileSystem.syncDirectory(folder.parent) }
  }

  /// Flushes the folders in which the last commit removed files.
  private func flushNames() throws(FunnelError) {
    // The command that made the commit may have been killed before these flushes. If it is run again, it finds
    // nothing to do. It must not succeed while a power failure could restore data that was forgotten.
    var folders: Set<StoragePath> = []
    for logFile in journal.commits.last?.removed ?? [] {
      let folder = files.root.inside(logFile.folder)
      folders.formUnion([folder, folder.parent])
    }
    let damaged = files.root.inside(DamagedFolder.name)
    if try fileSystem.status(of: damaged) != nil { folders.formUnion([damaged, files.root]) }
    for folder in folders.sorted(by: { $0.description < $1.description })
    where try fileSystem.status(of: folder)?.kind == .directory {
      try fileSystem.syncDirectory(folder)
    }
  }

  /// Removes the temporary files of killed commands.
  private func removeTemporaries() throws(FunnelError) {
    for folder in [files.root, files.journal.parent, files.schemas, files.root.inside(DamagedFolder.name)] {
      try AtomicFile.removeTemporaries(in: folder, fileSystem: fileSystem)
    }
    // The index is derived data: a problem with its folder must not prevent writing the log.
    try? AtomicFile.removeTemporaries(in: files.index, fileSystem: fileSystem)
  }
}
