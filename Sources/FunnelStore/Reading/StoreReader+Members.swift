package import FunnelModel
package import FunnelSystem

/// The location and the header of a gzip member in a store.
package struct MemberReference: Hashable, Sendable {
  /// The log file that contains the member.
  package var logFile: LogFileName
  /// The offset in the log file at which the member begins, in bytes.
  package var offset: Int
  /// The number of the commit that wrote the member.
  package var commit: Int
  /// The header: lengths, number of lines, range of timestamps.
  package var header: GzipMember.Header

  /// Creates a reference to a member that was not found through the journal.
  package init(logFile: LogFileName, offset: Int, commit: Int, header: GzipMember.Header) {
    self.logFile = logFile
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
  package func members(
    of area: LogFileName.Area = .log, after commit: Int = 0
  ) throws(FunnelError) -> [MemberReference] {
    var members: [MemberReference] = []
    for logFile in logFiles(of: area) where logFile.extents.last.map({ $0.commit > commit }) ?? false {
      for piece in logFile.extents where piece.commit > commit {
        let found = damage != nil ? try soundMembers(in: piece) : try self.members(in: piece, of: open(logFile.name))
        members += past.map { visible(found, of: piece, in: $0) } ?? found
      }
    }
    return members
  }

  /// Reads and inflates a member. Returns its lines, each ended by a line feed, after checking the CRC-32 and the lengths.
  ///
  /// May be called from any thread. A reader that tolerates damage returns an empty array for a damaged member.
  ///
  /// - Throws: `inputOutput` if the member is damaged or its log file is gone.
  package func read(_ member: MemberReference) throws(FunnelError) -> [UInt8] {
    let lines =
      damage != nil
      ? try soundLines(of: member)
      : try decode(member, files.fileSystem.read(open(member.logFile), at: member.offset, count: member.header.memberBytes))
    return visibleLines(lines, of: member)
  }

  /// Returns the compressed bytes of a member. Only their number is checked.
  func bytes(of member: MemberReference) throws(FunnelError) -> [UInt8] {
    let bytes = try files.fileSystem.read(open(member.logFile), at: member.offset, count: member.header.memberBytes)
    guard bytes.count == member.header.memberBytes else {
      throw damaged(member.logFile, at: member.offset, "it ends inside the gzip member that begins there")
    }
    return bytes
  }

  /// Inflates the bytes of a member and checks the CRC-32 and the lengths.
  func decode(_ member: MemberReference, _ bytes: [UInt8]) throws(FunnelError) -> [UInt8] {
    do throws(GzipMember.Damage) {
      return try GzipMember.decode(bytes.span)
    } catch {
      throw damaged(member.logFile, at: member.offset, error.reason)
    }
  }

  /// Returns the members of an extent. Only headers are read.
  func members(in piece: CoveredLogFile.Piece) throws(FunnelError) -> [MemberReference] {
    try members(in: piece, of: open(piece.extent.logFile))
  }

  private func open(_ logFile: LogFileName) throws(FunnelError) -> File {
    try openLogFiles.file(of: logFile) { () throws(FunnelError) in
      let path = files.path(of: logFile)
      guard try files.fileSystem.status(of: path) != nil else {
        throw gone(logFile)
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
      switch bytes.header {
      case .success(let header):
        members.append(MemberReference(logFile: extent.logFile, offset: offset, commit: piece.commit, header: header))
        offset += header.memberBytes
        records += header.lines
        rawBytes += header.rawBytes
      case .failure(let damage): throw damaged(extent.logFile, at: offset, damage.reason)
      }
    }
    guard offset == end, records == extent.records, rawBytes == extent.rawBytes else {
      throw damaged(extent.logFile, at: extent.offset, "its gzip members do not match the journal")
    }
    return members
  }

  /// Returns the error for damage in a log file. The reason is a clause.
  func damaged(_ logFile: LogFileName, at offset: Int, _ reason: String) -> FunnelError {
    FunnelError(.inputOutput, "\(files.path(of: logFile)) is damaged at byte \(offset): \(reason), \(StoreFiles.remedy)")
  }

  /// Returns the error for a log file that was removed after this reader was opened.
  func gone(_ logFile: LogFileName) -> FunnelError {
    FunnelError(
      .inputOutput, "\(files.path(of: logFile)) is gone, another command may have replaced it, run this command again")
  }
}

/// A reader's cache of open log files. Thread-safe.
///
/// A file that stays open stays readable even after a writer has removed it.
final class OpenLogFiles: Sendable {
  /// The maximum number of cached files, because a store may have more log files than a process may have open files.
  private static let countMax = 96

  private let files = Guarded<[LogFileName: File]>([:])

  /// Returns the open file of a log file, or `nil` if it is not cached.
  func file(of logFile: LogFileName) -> File? { files.withLock { $0[logFile] } }

  /// Returns the open file of a log file. If it is not cached, opens it with `open` and caches it if there is room.
  func file(of logFile: LogFileName, open: () throws(FunnelError) -> File) throws(FunnelError) -> File {
    if let file = file(of: logFile) { return file }
    let file = try open()
    files.withLock { files in
      if files.count < Self.countMax { files[logFile] = file }
    }
    return file
  }
}
