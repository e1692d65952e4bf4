import FunnelModel
import FunnelSystem

/// A sink that writes valid records to new log files and invalid data to the folder `damaged/`.
struct RewritingSink: LogFileRepairer.Sink {
  private let rewriting: StoreRewriting
  private let folder: DamagedFolder
  private(set) var asides: [StoreRepair.Aside] = []
  /// Records that were stored under the wrong day, by their actual day. They are collected, because alternating
  /// between days would start a new log file each time.
  private var misplaced: [Series: (lines: RecordBatch, origins: [RecordOrigin])] = [:]
  private var misplacedCount = 0

  private typealias Series = Coverage.Series

  /// The number of collected records at which they are written, to bound the memory.
  private static let misplacedMax = 100_000

  init(rewriting: StoreRewriting, folder: DamagedFolder) {
    self.rewriting = rewriting
    self.folder = folder
  }

  mutating func keep(_ member: MemberReference, from commit: Int) throws(FunnelError) {
    try rewriting.keep([member], from: commit)
  }

  mutating func append(_ lines: RecordBatch, of logFile: LogFileName, day: CivilDate, from commit: Int) throws(FunnelError) {
    let origins = [RecordOrigin(commit: commit, records: lines.count)]
    if day == logFile.day { return try rewriting.append(lines, logFile.area, day, from: origins) }
    let series = Series(area: logFile.area, day: day)
    misplaced[series, default: (RecordBatch(), [])].lines.append(contentsOf: lines)
    misplaced[series]?.origins.append(joining: origins)
    misplacedCount += lines.count
    if misplacedCount >= Self.misplacedMax { try finish() }
  }

  mutating func putAside(_ piece: DamagedFolder.Piece) throws(FunnelError) {
    try folder.put(piece)
    asides.append(piece.aside)
  }

  /// Writes the collected records. Must be called after the last log file.
  mutating func finish() throws(FunnelError) {
    for (series, records) in misplaced.sorted(by: { $0.key.day < $1.key.day }) {
      try rewriting.append(records.lines, series.area, series.day, from: records.origins)
    }
    misplaced = [:]
    misplacedCount = 0
  }
}

/// A sink that counts the remaining events and writes nothing, for a dry run.
struct CountingSink: LogFileRepairer.Sink {
  private(set) var events = 0
  private(set) var asides: [StoreRepair.Aside] = []

  mutating func keep(_ member: MemberReference, from commit: Int) {
    if member.logFile.area == .log { events += member.header.lines }
  }

  mutating func append(_ lines: RecordBatch, of logFile: LogFileName, day: CivilDate, from commit: Int) {
    if logFile.area == .log { events += lines.count }
  }

  mutating func putAside(_ piece: DamagedFolder.Piece) { asides.append(piece.aside) }
}
