package import FunnelModel
package import FunnelSystem

extension StoreReader {
  /// Opens a damaged store for reading. Unreadable data is skipped and recorded in ``damage``.
  ///
  /// Damage of the journal, and log files that are missing or too short, are recorded at once. A member whose
  /// header or checksum is wrong is recorded when it is read.
  ///
  /// - Throws: `noInput` if there is no store; `configuration` if it is of a newer version; `inputOutput` if its
  ///   journal is gone.
  package static func openTolerating(
    _ path: String, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreReader {
    let files = StoreFiles(path, fileSystem)
    guard let journal = try files.readJournal() else { throw try files.missingJournal() }
    let reader = StoreReader(files, journal).tolerating()
    guard try reader.noteShortages(), try reader.isOutdated() else { return reader }
    // A writer may have committed and removed log files since the journal was read.
    return try openTolerating(path, fileSystem: fileSystem)
  }

  /// Returns a reader of the same store that skips and records damaged data.
  package func tolerating() -> StoreReader {
    let reader = StoreReader(files, journal, damage: StoreDamage(), past: past)
    guard let damage = journal.damage else { return reader }
    let reason =
      damage.line.map { "line \($0) is damaged, \(damage.reason), and what was committed from there on is unknown" }
      ?? "\(damage.reason), and what else was committed is unknown"
    reader.damage?.note(
      .init(path: Journal.path, offset: damage.offset, commit: nil, events: nil, reason: reason),
      at: .init(path: Journal.path, offset: damage.offset))
    return reader
  }

  /// Returns whether commits were made after this reader was opened. Log files that it could not read may then have
  /// been replaced.
  package func isOutdated() throws(FunnelError) -> Bool {
    guard let newer = try files.readJournal() else { return false }
    return newer.commits.count > journal.commits.count
  }

  /// Records the log files that are missing or too short. Returns whether there are any.
  private func noteShortages() throws(FunnelError) -> Bool {
    var hasAny = false
    for logFile in journal.coverage.logFiles.values {
      guard let reason = try files.shortage(of: logFile) else { continue }
      hasAny = true
      let size = try present(logFile.name)?.size ?? 0
      for piece in logFile.extents where piece.extent.offset + piece.extent.bytes > size {
        note(piece, lost: piece.extent.records, from: max(size, piece.extent.offset), reason)
      }
    }
    return hasAny
  }

  /// Opens a log file, or returns the file that is already open. Returns `nil` if it does not exist.
  private func present(_ logFile: LogFileName) throws(FunnelError) -> (file: File, size: Int)? {
    var file = openLogFiles.file(of: logFile)
    if file == nil {
      let path = files.path(of: logFile)
      guard let status = try files.fileSystem.status(of: path), status.kind == .file else { return nil }
      file = try openLogFiles.file(of: logFile) { () throws(FunnelError) in try files.fileSystem.open(path, for: .read) }
    }
    guard let file else { return nil }
    return (file, try files.fileSystem.size(of: file))
  }

  /// Records that `lost` lines of an extent can't be read.
  private func note(_ piece: CoveredLogFile.Piece, lost: Int, from offset: Int, _ reason: String) {
    let logFile = piece.extent.logFile
    damage?.note(
      .init(
        path: logFile.path, offset: offset, commit: piece.commit, events: logFile.area == .log ? lost : 0, reason: reason),
      at: .init(path: logFile.path, offset: piece.extent.offset))
  }
}

extension StoreReader {
  /// Returns the members of an extent that can be found, and records the damage if some can't.
  func soundMembers(in piece: CoveredLogFile.Piece) throws(FunnelError) -> [MemberReference] {
    let extent = piece.extent
    let logFile = try present(extent.logFile)
    let end = min(extent.offset + extent.bytes, logFile?.size ?? 0)
    guard let file = logFile?.file, end > extent.offset else {
      try requireNotReplaced(extent.logFile)
      note(piece, lost: extent.records, from: extent.offset, "it is missing")
      return []
    }
    let hops = try MemberScan(
      hopping: extent.offset..<end, of: extent.logFile, commit: piece.commit, in: file, files.fileSystem)
    if let hops, end == extent.offset + extent.bytes, hops.matches(extent) { return hops.members }
    let scan = try MemberScan(
      searching: extent.offset..<end, of: extent.logFile, commit: piece.commit, in: file, files.fileSystem)
    let records = scan.members.reduce(0) { $0 + $1.header.lines }
    note(
      piece, lost: max(extent.records - records, 0), from: scan.gaps.first?.range.lowerBound ?? end,
      scan.gaps.first?.reason
        ?? (end < extent.offset + extent.bytes ? "it ends too early" : "its gzip members do not match the journal"))
    return scan.members
  }

  /// Reads and inflates a member. If it is damaged, records the damage and returns an empty array.
  func soundLines(of member: MemberReference) throws(FunnelError) -> [UInt8] {
    guard let (file, size) = try present(member.logFile), size >= member.offset + member.header.memberBytes else {
      try requireNotReplaced(member.logFile)
      note(member, "it ends too early")
      return []
    }
    switch try files.fileSystem.read(file, at: member.offset, count: member.header.memberBytes).decoded {
    case .success(let raw): return raw
    case .failure(let reason):
      note(member, reason.reason)
      return []
    }
  }

  private func note(_ member: MemberReference, _ reason: String) {
    damage?.note(
      .init(
        path: member.logFile.path, offset: member.offset, commit: member.commit,
        events: member.logFile.area == .log ? member.header.lines : 0, reason: reason),
      at: .init(path: member.logFile.path, offset: member.offset))
  }

  /// Throws if a log file was removed by a commit after this reader was opened. That is not damage; the store must
  /// be opened again.
  private func requireNotReplaced(_ logFile: LogFileName) throws(FunnelError) {
    guard let newer = try files.readJournal(), newer.commits.count > journal.commits.count,
      newer.coverage.logFiles[logFile] == nil
    else { return }
    throw gone(logFile)
  }
}

extension MemberScan {
  /// Returns whether the members have the lengths and the timestamps that the journal requires of an extent.
  fileprivate func matches(_ extent: Extent) -> Bool {
    let records = members.reduce(0) { $0 + $1.header.lines }
    let rawBytes = members.reduce(0) { $0 + $1.header.rawBytes }
    return records == extent.records && rawBytes == extent.rawBytes
      && members.allSatisfy { $0.header.isOfDay(of: extent.logFile) }
  }
}
