package import FunnelModel
import FunnelSystem

extension StoreWriter {
  /// Commits a batch atomically. The commit is durable when this returns. An empty batch makes a commit as well.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` if the commit could not be made. The store is then unchanged, except
  ///   that the outcome is unknown if the last flush failed: the next command that opens the store finds the whole
  ///   commit or nothing. The same errors are thrown if the commit was made but log files could not be removed,
  ///   which the message states.
  package func commit(_ batch: CommitBatch) throws(FunnelError) -> Commit {
    try make(batch) { (appender) throws(FunnelError) in try append(recordsOf: batch, to: &appender) }
  }

  /// Compresses the records of a batch on several threads, and appends them.
  func append(recordsOf batch: CommitBatch, to appender: inout MemberAppender) throws(FunnelError) {
    let encoder = MemberEncoder(batch.records, options: options, workspaces: workspaces)
    try encoder.encode { (member, area, day) throws(FunnelError) in try appender.append(member, area, day) }
  }

  /// Makes a commit.
  ///
  /// - Parameters:
  ///   - batch: The kind and the time of the commit, and the log files to remove. Its records are not used.
  ///   - check: A closure that is called before the commit, when all data is durable, with readers of the store
  ///     before and after the commit. If it throws, the store is unchanged.
  ///   - write: A closure that appends the records of the commit.
  func make(
    _ batch: CommitBatch,
    check: (_ before: StoreReader, _ after: StoreReader) throws(FunnelError) -> Void = { _, _ in },
    _ write: (inout MemberAppender) throws(FunnelError) -> Void
  ) throws(FunnelError) -> Commit {
    guard !hasFailed else {
      throw FunnelError(
        .inputOutput, "a commit to \(files.root) failed before, nothing more is written to it, run the command again")
    }
    // Reset only on success, so that an error at any point makes the writer refuse further commits.
    hasFailed = true
    let commit = try switchJournal(batch, check, write)
    try removeLogFiles(of: commit)
    hasFailed = false
    return commit
  }

  /// Writes the records and the journal line of a commit, and makes its journal the current one.
  private func switchJournal(
    _ batch: CommitBatch, _ check: (StoreReader, StoreReader) throws(FunnelError) -> Void,
    _ write: (inout MemberAppender) throws(FunnelError) -> Void
  ) throws(FunnelError) -> Commit {
    var next: (journal: Journal, line: [UInt8], commit: Commit)
    do throws(FunnelError) {
      next = try appendRecords(batch, write)
      try check(StoreReader(files, journal), StoreReader(files, next.journal))
      try files.fileSystem.write(next.line, to: journalFile, at: journal.bytes)
      try files.fileSystem.sync(journalFile)
    } catch {
      // Without its line feed, the line is not a commit: everything written is removed. If that fails, the next
      // writer removes it.
      _ = try? StoreRecovery(files: files, journal: journal, journalFile: journalFile, flushes: false).run()
      throw error
    }
    try files.fileSystem.write([UInt8(ascii: "\n")], to: journalFile, at: journal.bytes + next.line.count)
    try files.fileSystem.sync(journalFile)
    journal = next.journal
    // An error is ignored, because the commit has been made. The next writer updates the head.
    try? files.fileSystem.write(JournalHead(of: journal).contents, to: headFile, at: 0)
    return next.commit
  }

  /// Appends the records of a commit, and waits until they are durable. Returns the next journal, its new line and the commit.
  private func appendRecords(
    _ batch: CommitBatch, _ write: (inout MemberAppender) throws(FunnelError) -> Void
  ) throws(FunnelError) -> (Journal, line: [UInt8], Commit) {
    for logFile in batch.removed where journal.coverage.logFiles[logFile] == nil {
      throw FunnelError(.inputOutput, "\(files.path(of: logFile)) should be removed but is missing, run the command again")
    }
    var appender = MemberAppender(
      files: files, commit: journal.commits.count + 1, coverage: journal.coverage, removed: Set(batch.removed), options: options
    )
    try write(&appender)
    let extents = try appender.finish()
    let unsigned = Commit(
      number: journal.commits.count + 1, kind: batch.kind, continues: batch.continues, at: batch.at,
      timestamps: appender.timestamps,
      appended: extents, removed: batch.removed, previousHash: journal.lastHash, hash: "")
    let written = JournalLine.format(unsigned)
    var next = journal
    do throws(JournalLine.Mistake) {
      try next.append(written.commit, bytes: written.line.count + 1)
    } catch {
      preconditionFailure("a new commit can't be read back: \(error.reason)")
    }
    return (next, written.line, written.commit)
  }

  /// Unlinks the log files that a commit removed, and the folders of days that become empty.
  private func removeLogFiles(of commit: Commit) throws(FunnelError) {
    let fileSystem = files.fileSystem
    do throws(FunnelError) {
      // A damaged log file may be missing already.
      for logFile in commit.removed where try fileSystem.status(of: files.path(of: logFile)) != nil {
        try fileSystem.remove(files.path(of: logFile))
      }
      for folder in Set(commit.removed.map(\.folder)).sorted().map(files.root.inside) {
        guard try fileSystem.status(of: folder) != nil else { continue }
        try fileSystem.syncDirectory(folder)
        guard try fileSystem.list(folder).isEmpty else { continue }
        try fileSystem.removeDirectory(folder)
        try fileSystem.syncDirectory(folder.parent)
      }
    } catch {
      throw FunnelError(
        error.code, "commit \(commit.number) was made, but what it replaces could not be removed yet: \(error.message)")
    }
  }
}
