package import FunnelModel
package import FunnelSystem

/// Writes the log files that replace those a commit removes. Not thread-safe.
///
/// It is created by ``StoreWriter/rewrite(_:compression:check:_:)`` and must not be used after the body returns.
/// Records are appended to new log files, in the order of the calls. If the calls alternate between days, each
/// return to a day starts another log file.
package final class StoreRewriting {
  var appender: MemberAppender
  let source: StoreReader
  let options: StoreWriter.Options
  let workspaces: MemberWorkspaces

  init(
    appender: MemberAppender, source: StoreReader, options: StoreWriter.Options, workspaces: MemberWorkspaces
  ) {
    self.appender = appender
    self.source = source
    self.options = options
    self.workspaces = workspaces
  }

  /// Appends members without inflating them. Only their length is checked, and the headers in the references are trusted.
  ///
  /// The references need not be found through the journal: a repair finds them by a search.
  ///
  /// - Parameters:
  ///   - members: The members to be copied.
  ///   - day: The day under which the members are stored, or `nil` for the day of their log file.
  ///   - commit: The number of the commit that brought the records.
  /// - Throws: `inputOutput` if the log file ends before a member does, or can't be read or written.
  package func keep(_ members: [MemberReference], day: CivilDate? = nil, from commit: Int) throws(FunnelError) {
    for member in members {
      let bytes = try source.bytes(of: member)
      try append(
        member.header.member(of: bytes), member.logFile.area, day ?? member.logFile.day,
        [RecordOrigin(commit: commit, records: member.header.lines)])
    }
  }

  /// Appends lines, divided into members of the target size and compressed on several threads.
  ///
  /// The last member of each call may be smaller. To get full members, pass many lines in one call.
  ///
  /// - Parameter origins: The origins of the lines, in their order.
  /// - Precondition: There are as many origins as lines.
  package func append(
    _ lines: RecordBatch, _ area: LogFileName.Area, _ day: CivilDate, from origins: [RecordOrigin]
  ) throws(FunnelError) {
    precondition(origins.recordCount == lines.count, "each record came from somewhere")
    var remainingOrigins = origins
    let encoder = MemberEncoder([(area, [day: lines])], options: options, workspaces: workspaces)
    try encoder.encode { (member, area, day) throws(FunnelError) in
      try append(member, area, day, remainingOrigins.takeFirst(member.records))
    }
  }

  /// Appends a compressed member.
  func append(
    _ member: EncodedMember, _ area: LogFileName.Area, _ day: CivilDate, _ origins: [RecordOrigin]
  ) throws(FunnelError) {
    try appender.append(member, area, day, to: .new, origins: origins)
  }
}

extension GzipMember.Header {
  /// Returns the member with this header and these bytes.
  func member(of bytes: [UInt8]) -> EncodedMember {
    EncodedMember(bytes: bytes, rawBytes: rawBytes, records: lines, timestamps: timestamps)
  }
}

extension StoreWriter {
  /// Rewrites log files in one atomic commit, which is durable when this returns.
  ///
  /// The rewritten log files are those that the batch removes. The body copies the contents that stay to new log
  /// files. The records of the batch are appended after them.
  ///
  ///     var batch = CommitBatch(kind: .forget, at: now)
  ///     batch.removed = affected
  ///     let commit = try writer.rewrite(batch) { (rewriting) throws(FunnelError) in
  ///       for logFile in affected {
  ///         try rewriting.copy(logFile) { (member) throws(FunnelError) in
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
  package func rewrite(
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
