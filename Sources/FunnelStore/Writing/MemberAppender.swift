import Crypto
import FunnelModel
import FunnelSystem

/// Appends the gzip members of one commit to the log files of their days, starts new log files when one is full,
/// and flushes them.
struct MemberAppender {
  private let files: StoreFiles
  /// The number of the commit that is being made.
  private let commit: Int
  /// The covered log files before the commit.
  private let coverage: Coverage
  /// The log files that the commit removes.
  private let removed: Set<LogFileName>
  private let options: StoreWriter.Options
  /// The extent to which members are appended, or `nil` before the first member.
  private var current: OpenExtent?
  private var finished: [Extent] = []
  /// The files of finished extents that were not flushed yet.
  private var unflushed: [File] = []
  /// The folders in which files or folders were created, as paths inside the store.
  private var changedFolders: Set<String> = []
  /// The number of the last log file that this commit wrote to, by day.
  private var lastNumbers: [Coverage.Series: Int] = [:]
  /// The smallest and the largest timestamp of the appended events, or `nil` if there were none.
  private(set) var timestamps: ClosedRange<Timestamp>?

  /// An extent that is being written.
  private struct OpenExtent {
    var extent: Extent
    var file: File
    var digest = SHA256()
  }

  init(
    files: StoreFiles, commit: Int, coverage: Coverage, removed: Set<LogFileName>, options: StoreWriter.Options
  ) {
    self.files = files
    self.commit = commit
    self.coverage = coverage
    self.removed = removed
    self.options = options
  }

  /// The log file of a day to which the records of a commit are appended.
  enum LogFileChoice {
    /// The last one of the day, or a new one if the last is full or removed.
    case lastOrNew
    /// A log file that the commit creates.
    case new
  }

  /// Appends a member to a log file of a day.
  ///
  /// The members of a day should be appended consecutively. If the calls alternate between days, each return to a
  /// day starts another log file.
  ///
  /// - Parameters:
  ///   - choice: The log file of the day to which the commit's first member is appended.
  ///   - origins: The origins of the member's records, or an empty array if this commit brings them.
  mutating func append(
    _ member: EncodedMember, _ area: LogFileName.Area, _ day: CivilDate, to choice: LogFileChoice = .lastOrNew,
    origins: [RecordOrigin] = []
  ) throws(FunnelError) {
    precondition(origins.isEmpty || origins.recordCount == member.records, "each record came from somewhere")
    var target = try extent(for: Coverage.Series(area: area, day: day), choice)
    current = nil
    try files.fileSystem.write(member.bytes, to: target.file, at: target.extent.offset + target.extent.bytes)
    target.digest.update(data: member.bytes)
    // Origins are recorded only in extents that contain records of earlier commits.
    if !origins.isEmpty || !target.extent.origins.isEmpty {
      if target.extent.origins.isEmpty { target.extent.origins.append(target.extent.records, of: commit) }
      target.extent.origins.append(joining: origins.isEmpty ? [RecordOrigin(commit: commit, records: member.records)] : origins)
    }
    target.extent.bytes += member.bytes.count
    target.extent.rawBytes += member.rawBytes
    target.extent.records += member.records
    current = target
    guard area == .log else { return }
    let first = member.timestamps.lowerBound
    let last = member.timestamps.upperBound
    timestamps = min(timestamps?.lowerBound ?? first, first)...max(timestamps?.upperBound ?? last, last)
  }

  /// Waits until all members are durable. Returns the extents in the order in which they were written.
  mutating func finish() throws(FunnelError) -> [Extent] {
    try endExtent()
    try flush()
    let folders = changedFolders.sorted(by: >).map(files.root.inside)
    let fileSystem = files.fileSystem
    _ = try Parallel.map(count: folders.count, threads: options.threads) { (index) throws(FunnelError) in
      try fileSystem.syncDirectory(folders[index])
    }
    return finished
  }

  /// Returns the extent for the next member of a day: the current one, or a new one if it is full or of another day.
  private mutating func extent(for series: Coverage.Series, _ choice: LogFileChoice) throws(FunnelError) -> OpenExtent {
    if let current, current.extent.logFile.area == series.area, current.extent.logFile.day == series.day,
      current.extent.offset + current.extent.bytes < options.logFileBytesTarget
    {
      return current
    }
    try endExtent()
    let logFile: LogFileName
    if let last = lastNumbers[series] {
      logFile = LogFileName(area: series.area, day: series.day, number: last + 1)
    } else {
      logFile =
        switch choice {
        case .new: coverage.newLogFile(series)
        case .lastOrNew: coverage.openLogFile(series, without: removed, logFileBytesTarget: options.logFileBytesTarget)
        }
    }
    lastNumbers[series] = logFile.number
    return try begin(logFile)
  }

  /// Opens or creates a log file, and starts an extent at its end.
  private mutating func begin(_ logFile: LogFileName) throws(FunnelError) -> OpenExtent {
    let offset = coverage.bytes(of: logFile)
    if offset == 0 {
      for folder in [logFile.area.rawValue, logFile.folder].map(files.root.inside)
      where try files.fileSystem.status(of: folder) == nil {
        try files.fileSystem.createDirectory(folder)
      }
      // All levels are flushed even if the folders existed: an earlier command may have created them and been killed.
      changedFolders.formUnion([logFile.folder, logFile.area.rawValue, ""])
    }
    let file = try files.fileSystem.open(files.path(of: logFile), for: offset == 0 ? .create(.owner) : .update)
    return OpenExtent(
      extent: Extent(logFile: logFile, offset: offset, bytes: 0, rawBytes: 0, records: 0, sha256: ""), file: file)
  }

  /// Finishes the current extent, if there is one.
  private mutating func endExtent() throws(FunnelError) {
    guard var ended = current else { return }
    ended.extent.sha256 = ended.digest.finalize().hexadecimal
    finished.append(ended.extent)
    unflushed.append(ended.file)
    current = nil
    if unflushed.count >= Limits.openPartsMax { try flush() }
  }

  /// Flushes the files of finished extents.
  private mutating func flush() throws(FunnelError) {
    let ended = unflushed
    let fileSystem = files.fileSystem
    // Many concurrent flushes take a disk little more time than one.
    _ = try Parallel.map(count: ended.count, threads: options.threads) { (index) throws(FunnelError) in
      try fileSystem.sync(ended[index])
    }
    unflushed = []
  }
}
