import FunnelModel

/// The log files that the journal covers, and the covered extents of each. Bytes outside of them don't belong to the store.
struct Coverage: Sendable {
  /// The covered log files by name.
  private(set) var logFiles: [LogFileName: CoveredLogFile] = [:]
  /// The highest number that a log file of each day ever had, so that no number is reused.
  private var highestNumbers: [Series: Int] = [:]

  /// The log files of one day of one area.
  struct Series: Hashable {
    var area: LogFileName.Area
    var day: CivilDate
  }

  /// Returns the log files of an area, sorted.
  func logFiles(of area: LogFileName.Area) -> [CoveredLogFile] {
    logFiles.values.filter { $0.name.area == area }.sorted { $0.name < $1.name }
  }

  /// Returns the covered length of a log file in bytes, or 0 if it is not covered.
  func bytes(of logFile: LogFileName) -> Int { logFiles[logFile]?.bytes ?? 0 }

  /// Returns the log file to which the next records of a day are appended: the last of the day, or a new one if the
  /// last is full or removed.
  ///
  /// - Parameters:
  ///   - removed: The log files that the commit removes.
  ///   - logFileBytesTarget: The size in bytes from which on a log file is full.
  func openLogFile(_ series: Series, without removed: Set<LogFileName>, logFileBytesTarget: Int) -> LogFileName {
    let new = newLogFile(series)
    guard new.number > 0 else { return new }
    let last = LogFileName(area: series.area, day: series.day, number: new.number - 1)
    if let logFile = logFiles[last], logFile.bytes < logFileBytesTarget, !removed.contains(last) { return last }
    return new
  }

  /// Returns a new log file of a day, with a number that was never used.
  func newLogFile(_ series: Series) -> LogFileName {
    LogFileName(area: series.area, day: series.day, number: highestNumbers[series].map { $0 + 1 } ?? 0)
  }

  /// Applies the removals of a commit, then its extents.
  ///
  /// - Throws: ``JournalLine/Mistake`` if the commit does not fit the coverage.
  mutating func apply(_ commit: Commit) throws(JournalLine.Mistake) {
    var removed: [CoveredLogFile] = []
    for name in commit.removed {
      guard let logFile = logFiles.removeValue(forKey: name) else {
        throw JournalLine.Mistake(reason: "it removes \(name), which is not there")
      }
      removed.append(logFile)
    }
    let origins = InferredOrigins(of: commit, removed: removed)
    for written in commit.appended {
      var extent = written
      if extent.origins.isEmpty { extent.origins = origins[extent] }
      guard extent.offset == bytes(of: extent.logFile), !commit.removed.contains(extent.logFile) else {
        throw JournalLine.Mistake(reason: "it does not continue where \(extent.logFile) ended")
      }
      logFiles[extent.logFile, default: CoveredLogFile(name: extent.logFile)].extents.append(
        CoveredLogFile.Piece(commit: commit.number, extent: extent))
      let series = Series(area: extent.logFile.area, day: extent.logFile.day)
      highestNumbers[series] = max(highestNumbers[series] ?? 0, extent.logFile.number)
    }
  }
}

/// A log file and its covered extents.
package struct CoveredLogFile: Hashable, Sendable {
  /// An extent and the number of the commit that wrote it.
  package struct Piece: Hashable, Sendable {
    package var commit: Int
    package var extent: Extent
  }

  package var name: LogFileName
  /// The extents in order. They have no gaps, and the first one begins at offset 0.
  package var extents: [Piece] = []

  /// The covered length in bytes.
  package var bytes: Int { extents.last.map { $0.extent.offset + $0.extent.bytes } ?? 0 }
  /// The number of lines in all extents.
  package var records: Int { extents.reduce(0) { $0 + $1.extent.records } }
}
