public import FunnelModel
public import FunnelSystem

extension StoreWriter {
  /// Rewrites log files in one atomic commit, which is durable when this returns.
  ///
  /// The rewritten log files are those that the batch removes. The body copies the contents that stay to new log
  /// files. The records of the batch are appended after them.
  ///
  ///     var batch = CommitBatch(kind: "forget", at: now)
  ///     batch.removed = affected
  ///     let commit = try writer.rewrite(batch) { (rewriting) throws(FunnelError) in
  ///       for part in affected {
  ///         try rewriting.copy(part) { (member) throws(FunnelError) in
  ///           isAffected(member) ? .replace(others(in: try member.lines())) : .keep
  ///         }
  ///       }
  ///     }
  ///
  /// The new log files get the next numbers of their day, after all log files that stay. To keep the order of a
  /// day, the batch must remove all log files of the day from the first one that changes.
  ///
  /// Removed log files can't be restored. Therefore the new ones are read back from the disk and their hashes are
  /// checked before the commit.
  ///
  /// - Parameters:
  ///   - batch: The log files to be removed, and records to be added.
  ///   - compression: The compression of the records that the body appends, or `nil` for that of the writer.
  ///   - check: A closure that is called before the commit, when all data is durable, with readers of the store
  ///     before and after the commit. If it throws, the store is unchanged.
  ///   - body: A closure that copies the contents that stay.
  /// - Throws: The errors of ``commit(_:)``, of the body and of the check.
  public func rewrite(
    _ batch: CommitBatch, compression: Deflater.Method? = nil,
    check: (_ before: StoreReader, _ after: StoreReader) throws(FunnelError) -> Void = { _, _ in },
    _ body: (StoreRewriting) throws(FunnelError) -> Void
  ) throws(FunnelError) -> Commit {
    let (files, threads) = (files, options.threads)
    return try make(
      batch,
      check: { (before, after) throws(FunnelError) in
        try files.requireWritten(after.commits.last?.appended ?? [], threads: threads)
        try check(before, after)
      }
    ) { (appender) throws(FunnelError) in
      let rewriting = StoreRewriting(
        appender: appender, source: reader, options: options,
        workspaces: compression.map(MemberWorkspaces.init) ?? workspaces)
      try body(rewriting)
      appender = rewriting.appender
      try append(recordsOf: batch, to: &appender)
    }
  }
}
