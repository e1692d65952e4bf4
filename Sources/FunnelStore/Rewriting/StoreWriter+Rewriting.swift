public import FunnelModel
public import FunnelSystem

extension StoreWriter {
  /// Rewrites parts in one commit, as a whole or not at all; it is durable when this returns.
  ///
  /// The parts are those that the batch removes. The body decides member by member which of their contents stay; everything else is
  /// removed. The batch's own records follow.
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
  /// The contents go to new parts with the next numbers of their day, after all parts that stay. To keep the order of a day, the batch must
  /// remove all parts of the day from the first one that changes.
  ///
  /// Because the old parts can't be restored, everything written is read back from the disk and its hash is checked before it replaces
  /// them.
  ///
  /// - Parameters:
  ///   - compression: the compression of what the body appends; nil for the writer's.
  ///   - check: called when everything is durable and was read back, and nothing is committed yet, with the store before and after the
  ///     commit; if it throws, the store is unchanged.
  /// - Throws: the errors of ``commit(_:)``, of the body and of the check.
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
