public import FunnelModel
public import FunnelSystem

/// A gzip member of a store, located but not read.
public struct MemberReference: Hashable, Sendable {
  public var part: LogFileName
  /// The offset in the part at which it begins, in bytes.
  public var offset: Int
  /// The commit that wrote it.
  public var commit: Int
  /// The contents of its header: lengths, number of lines, range of timestamps.
  public var header: GzipMember.Header

  /// Creates a reference to a member that was found by other means than the journal.
  public init(part: LogFileName, offset: Int, commit: Int, header: GzipMember.Header) {
    self.part = part
    self.offset = offset
    self.commit = commit
    self.header = header
  }
}

extension StoreReader {
  /// Returns the members of an area written by commits after the given one, by day, part and offset. A reader that tolerates damage returns
  /// the sound ones.
  ///
  /// The members are found by hopping from header to header; nothing is inflated.
  ///
  /// - Throws: `inputOutput` if a header is damaged or contradicts the journal.
  public func members(
    of area: LogFileName.Area = .log, after commit: Int = 0
  ) throws(FunnelError) -> [MemberReference] {
    var members: [MemberReference] = []
    for part in parts(of: area) where part.extents.last.map({ $0.commit > commit }) ?? false {
      for piece in part.extents where piece.commit > commit {
        let found = damage != nil ? try soundMembers(in: piece) : try self.members(in: piece, of: open(part.name))
        members += past.map { shown(found, of: piece, in: $0) } ?? found
      }
    }
    return members
  }

  /// Reads and inflates a member. Returns whole lines, each ended by a line feed, after checking their CRC-32 and lengths.
  ///
  /// Any number of threads may read at once. A reader that tolerates damage returns nothing for a damaged member.
  ///
  /// - Throws: `inputOutput` if the member is damaged or its part is gone.
  public func read(_ member: MemberReference) throws(FunnelError) -> [UInt8] {
    let lines =
      damage != nil
      ? try soundLines(of: member)
      : try decode(member, files.fileSystem.read(open(member.part), at: member.offset, count: member.header.memberBytes))
    return shownLines(lines, of: member)
  }

  /// Returns the compressed bytes of a member, of which only the number is checked.
  func bytes(of member: MemberReference) throws(FunnelError) -> [UInt8] {
    let bytes = try files.fileSystem.read(open(member.part), at: member.offset, count: member.header.memberBytes)
    guard bytes.count == member.header.memberBytes else {
      throw damaged(member.part, at: member.offset, "it ends inside the gzip member that begins there")
    }
    return bytes
  }

  /// Inflates the bytes of a member and checks the result.
  func decode(_ member: MemberReference, _ bytes: [UInt8]) throws(FunnelError) -> [UInt8] {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(GzipMember.Damage) in try GzipMember.decode(buffer) }
    }
    switch result {
    case .success(let raw): return raw
    case .failure(let damage): throw damaged(member.part, at: member.offset, damage.reason)
    }
  }

  /// Returns the members of an extent.
  func members(in piece: CoveredLogFile.Piece) throws(FunnelError) -> [MemberReference] {
    try members(in: piece, of: open(piece.extent.part))
  }

  private func open(_ part: LogFileName) throws(FunnelError) -> File {
    try openParts.file(of: part) { () throws(FunnelError) in
      let path = files.path(of: part)
      guard try files.fileSystem.status(of: path) != nil else {
        throw gone(part)
      }
      return try files.fileSystem.open(path, for: .read)
    }
  }

  private func members(in piece: CoveredLogFile.Piece, of file: File) throws(FunnelError) -> [MemberReference] {
    let extent = piece.extent
    var members: [MemberReference] = []
    var offset = extent.offset
    let end = extent.offset + extent.bytes
    var (records, rawBytes) = (0, 0)
    while offset < end {
      let bytes = try files.fileSystem.read(file, at: offset, count: min(GzipMember.headerBytes, end - offset))
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(GzipMember.Damage) in try GzipMember.header(of: buffer) }
      }
      switch result {
      case .success(let header):
        members.append(MemberReference(part: extent.part, offset: offset, commit: piece.commit, header: header))
        offset += header.memberBytes
        records += header.lines
        rawBytes += header.rawBytes
      case .failure(let damage): throw damaged(extent.part, at: offset, damage.reason)
      }
    }
    guard offset == end, records == extent.records, rawBytes == extent.rawBytes else {
      throw damaged(extent.part, at: extent.offset, "its gzip members do not match the journal")
    }
    return members
  }

  func damaged(_ part: LogFileName, at offset: Int, _ reason: String) -> FunnelError {
    FunnelError(.inputOutput, "\(files.path(of: part)) is damaged at byte \(offset): \(reason), \(StoreFiles.remedy)")
  }

  func gone(_ part: LogFileName) -> FunnelError {
    FunnelError(.inputOutput, "\(files.path(of: part)) is gone, another command may have replaced it, run this command again")
  }
}
