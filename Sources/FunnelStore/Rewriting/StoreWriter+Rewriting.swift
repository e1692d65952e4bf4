public import FunnelModel
public import FunnelSystem

extension StoreWriter {
  /// Writes parts anew, in one commit: all of it or nothing, on the disk when this returns.
  ///
  /// The parts are those the batch removes. What stays of them the body says, member by member; what it does not name is gone. The
  /// batch's own records go behind.
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
  /// What is written goes to new parts with the next numbers of their day, behind all parts that stay. Who wants the order of a day
  /// unchanged has the batch remove all parts of the day from the first one that changes.
  ///
  /// As there is no way back, all of it is read back from the disk, and compared by its hash, before it takes the place of the old.
  ///
  /// - Parameters:
  ///   - compression: how what the body appends is compressed; nil as the writer compresses.
  ///   - check: called when all is on the disk and was read back, and nothing is committed yet, with the store as it is and as it is to
  ///     be; if it throws, nothing was done.
  /// - Throws: what ``commit(_:)`` throws; what the body and the check throw.
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
