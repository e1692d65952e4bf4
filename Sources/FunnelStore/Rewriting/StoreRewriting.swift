public import FunnelModel
import FunnelSystem

/// What a commit that writes parts anew puts in their place; made by ``StoreWriter/rewrite(_:compression:check:_:)`` and good only inside
/// its body. Not for several threads at once.
///
/// Everything goes to new parts, in the order of the calls; where the calls change from one day to another and back, a day gets a part
/// for each turn.
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

  /// Appends members as they are compressed, without looking at what is in them.
  ///
  /// Nothing but their length is checked: they may be all that can still be read of a part that is damaged elsewhere. The references may
  /// be made by hand; their headers are believed.
  ///
  /// - Parameter day: the day they are filed under; nil for the day of their part.
  /// - Throws: `inputOutput` where the part ends before a member does, or can't be read or written.
  public func keep(_ members: [MemberReference], day: CivilDate? = nil) throws(FunnelError) {
    for member in members {
      let bytes = try source.bytes(of: member)
      try append(member.header.member(of: bytes), member.part.area, day ?? member.part.day)
    }
  }

  /// Appends lines, cut into members of the usual length and compressed on all threads.
  ///
  /// The last member may be shorter: who wants them full hands over many lines at a time.
  public func append(_ lines: RecordBatch, _ area: PartName.Area, _ day: CivilDate) throws(FunnelError) {
    let encoder = MemberEncoder([(area, [day: lines])], options: options, workspaces: workspaces)
    try encoder.encode { (member, area, day) throws(FunnelError) in try append(member, area, day) }
  }

  func append(_ member: EncodedMember, _ area: PartName.Area, _ day: CivilDate) throws(FunnelError) {
    try appender.append(member, area, day, toNewPart: true)
  }
}

extension GzipMember.Header {
  /// The member with this header, whose bytes these are.
  func member(of bytes: [UInt8]) -> EncodedMember {
    EncodedMember(bytes: bytes, rawBytes: rawBytes, records: lines, timestamps: timestamps)
  }
}
