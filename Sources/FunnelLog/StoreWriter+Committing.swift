public import FunnelModel
import FunnelStorage

extension StoreWriter {
  /// Adds a batch to the store, all of it or nothing; on the disk when this returns.
  ///
  /// A commit is made of an empty batch too.
  ///
  /// - Throws: `inputOutput` or `cannotCreate` where it could not be made. Then the store is as it was; only where the very last flush
  ///   failed can that not be told, and the next command that opens the store sees all of the commit or nothing. Also where parts
  ///   could not be removed: then the message says that the commit was made.
  public func commit(_ batch: CommitBatch) throws(FunnelError) -> Commit {
    guard !hasFailed else {
      throw FunnelError(
        .inputOutput, "a commit to \(files.root) failed before, nothing more is written to it, run the command again")
    }
    hasFailed = true
    let commit = try append(batch)
    try removeParts(of: commit)
    hasFailed = false
    return commit
  }

  private func append(_ batch: CommitBatch) throws(FunnelError) -> Commit {
    var written: (line: [UInt8], commit: Commit)
    do throws(FunnelError) {
      let encoder = MemberEncoder(batch: batch, options: options, workspaces: workspaces)
      let extents = try appendMembers(encoder, removed: batch.removed)
      let unsigned = Commit(
        number: journal.commits.count + 1, kind: batch.kind, at: batch.at, timestamps: encoder.timestamps,
        appended: extents, removed: batch.removed, previousHash: journal.lastHash, hash: "")
      written = JournalLine.format(unsigned)
      try files.fileSystem.write(written.line, to: journalFile, at: journal.bytes)
      try files.fileSystem.sync(journalFile)
    } catch {
      // There is no commit without its line feed, so all can be undone at once. What can't be is left to the next writer.
      _ = try? StoreRecovery(files: files, journal: journal, journalFile: journalFile).run()
      throw error
    }
    try files.fileSystem.write([UInt8(ascii: "\n")], to: journalFile, at: journal.bytes + written.line.count)
    try files.fileSystem.sync(journalFile)
    do throws(JournalLine.Mistake) {
      try journal.append(written.commit, bytes: written.line.count + 1)
    } catch {
      preconditionFailure("a commit was written that can't be read: \(error.reason)")
    }
    return written.commit
  }

  private func appendMembers(_ encoder: MemberEncoder, removed: [PartName]) throws(FunnelError) -> [Extent] {
    for part in removed where journal.coverage.parts[part] == nil {
      throw FunnelError(.inputOutput, "\(files.path(of: part)) is to be removed and is not there, run the command again")
    }
    var appender = MemberAppender(files: files, coverage: journal.coverage, removed: Set(removed), options: options)
    try encoder.encode { (member, area, day) throws(FunnelError) in try appender.append(member, area, day) }
    return try appender.finish()
  }

  private func removeParts(of commit: Commit) throws(FunnelError) {
    var folders: Set<String> = []
    do throws(FunnelError) {
      for part in commit.removed {
        try files.fileSystem.remove(files.path(of: part))
        folders.insert(part.folder)
      }
      for folder in folders.sorted() { try files.fileSystem.syncDirectory(files.root.inside(folder)) }
    } catch {
      throw FunnelError(
        error.code, "commit \(commit.number) was made, but what it replaces could not be removed yet: \(error.message)")
    }
  }
}
