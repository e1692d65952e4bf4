public import FunnelModel
public import FunnelSystem

/// The location and the header of a gzip member in a store.
public struct MemberReference: Hashable, Sendable {
  /// The log file that contains the member.
  public var part: LogFileName
  /// The offset in the log file at which the member begins, in bytes.
  public var offset: Int
  /// The number of the commit that wrote the member.
  public var commit: Int
  /// The header: lengths, number of lines, range of timestamps.
  public var header: GzipMember.Header

  /// Creates a reference to a member that was not found through the journal.
  public init(part: LogFileName, offset: Int, commit: Int, header: GzipMember.Header) {
    self.part = part
    self.offset = offset
    self.commit = commit
    self.header = header
  }
}

extension StoreReader {
  /// Returns the members of an area by day, log file and offset. Only headers are read. A reader that tolerates
  /// damage skips damaged members.
  ///
  /// - Parameters:
  ///   - area: The area of the store.
  ///   - commit: The number of the commit after which the members were written, or 0 for all members.
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

  /// Reads and inflates a member. Returns its lines, each ended by a line feed, after checking the CRC-32 and the lengths.
  ///
  /// May be called from any thread. A reader that tolerates damage returns an empty array for a damaged member.
  ///
  /// - Throws: `inputOutput` if the member is damaged or its log file is gone.
  public func read(_ member: MemberReference) throws(FunnelError) -> [UInt8] {
    let lines =
      damage != nil
      ? try soundLines(of: member)
      : try decode(member, files.fileSystem.read(open(member.part), at: member.offset, count: member.header.memberBytes))
    return shownLines(lines, of: member)
  }

  /// Returns the compressed bytes of a member. Only their number is checked.
  func bytes(of member: MemberReference) throws(FunnelError) -> [UInt8] {
    let bytes = try files.fileSystem.read(open(member.part), at: member.offset, count: member.header.memberBytes)
    guard bytes.count == member.header.memberBytes else {
      throw damaged(member.part, at: member.offset, "it ends inside the gzip member that begins there")
    }
    return bytes
  }

  /// Inflates the bytes of a member and checks the CRC-32 and the lengths.
  func decode(_ member: MemberReference, _ bytes: [UInt8]) throws(FunnelError) -> [UInt8] {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(GzipMember.Damage) in try GzipMember.decode(buffer) }
    }
    switch result {
    case .success(let raw): return raw
    case .failure(let damage): throw damaged(member.part, at: member.offset, damage.reason)
    }
  }

  /// Returns the members of an extent. Only headers are read.
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
    var records = 0
    var rawBytes = 0
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

  /// Returns the error for damage in a log file. The reason is a clause.
  func damaged(_ part: LogFileName, at offset: Int, _ reason: String) -> FunnelError {
    FunnelError(.inputOutput, "\(files.path(of: part)) is damaged at byte \(offset): \(reason), \(StoreFiles.remedy)")
  }

  /// Returns the error for a log file that was removed after this reader was opened.
  func gone(_ part: LogFileName) -> FunnelError {
    FunnelError(.inputOutput, "\(files.path(of: part)) is gone, another command may have replaced it, run this command again")
  }
}
