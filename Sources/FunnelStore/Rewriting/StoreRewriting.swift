public import FunnelModel
import FunnelSystem

/// The replacement for parts that a commit rewrites. It is created by ``StoreWriter/rewrite(_:compression:check:_:)`` and valid only inside
/// its body. It must not be used by several threads at once.
///
/// Everything goes to new parts, in the order of the calls. If the calls alternate between days, a day gets a new part each time they
/// return to it.
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

  /// Appends compressed members without inflating them.
  ///
  /// Only their length is checked: they may be all that can still be read of a part that is damaged elsewhere. References that were not
  /// found through the journal are accepted; their headers are trusted.
  ///
  /// - Parameters:
  ///   - day: the day under which they are stored; nil for the day of their part.
  ///   - commit: the commit that brought their records.
  /// - Throws: `inputOutput` if the part ends before a member does, or can't be read or written.
  public func keep(_ members: [MemberReference], day: CivilDate? = nil, from commit: Int) throws(FunnelError) {
    for member in members {
      let bytes = try source.bytes(of: member)
      try append(
        member.header.member(of: bytes), member.part.area, day ?? member.part.day,
        [RecordOrigin(commit: commit, records: member.header.lines)])
    }
  }

  /// Appends lines, divided into members of the usual length and compressed on all threads.
  ///
  /// The last member may be shorter; to get full members, pass many lines at a time.
  ///
  /// - Parameter origins: where the lines came from, in their order.
  public func append(
    _ lines: RecordBatch, _ area: LogFileName.Area, _ day: CivilDate, from origins: [RecordOrigin]
  ) throws(FunnelError) {
    precondition(origins.recordCount == lines.count, "each record came from somewhere")
    var rest = origins
    let encoder = MemberEncoder([(area, [day: lines])], options: options, workspaces: workspaces)
    try encoder.encode { (member, area, day) throws(FunnelError) in
      try append(member, area, day, rest.takeFirst(member.records))
    }
  }

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
