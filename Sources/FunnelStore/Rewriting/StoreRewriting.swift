public import FunnelModel
import FunnelSystem

/// Writes the log files that replace those a commit removes. Not thread-safe.
///
/// It is created by ``StoreWriter/rewrite(_:compression:check:_:)`` and must not be used after the body returns.
/// Records are appended to new log files, in the order of the calls. If the calls alternate between days, each
/// return to a day starts another log file.
public final class StoreRewriting {
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
  public func keep(_ members: [MemberReference], day: CivilDate? = nil, from commit: Int) throws(FunnelError) {
    for member in members {
      let bytes = try source.bytes(of: member)
      try append(
        member.header.member(of: bytes), member.part.area, day ?? member.part.day,
        [RecordOrigin(commit: commit, records: member.header.lines)])
    }
  }

  /// Appends lines, divided into members of the target size and compressed on several threads.
  ///
  /// The last member of each call may be smaller. To get full members, pass many lines in one call.
  ///
  /// - Parameter origins: The origins of the lines, in their order.
  /// - Precondition: There are as many origins as lines.
  public func append(
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
    try appender.append(member, area, day, toNewPart: true, origins: origins)
  }
}

extension GzipMember.Header {
  /// Returns the member with this header and these bytes.
  func member(of bytes: [UInt8]) -> EncodedMember {
    EncodedMember(bytes: bytes, rawBytes: rawBytes, records: lines, timestamps: timestamps)
  }
}
