import FunnelModel

/// The parts, and the bytes of each, that the journal covers.
struct Coverage: Sendable {
  /// The covered parts.
  private(set) var parts: [LogFileName: CoveredLogFile] = [:]
  /// The highest part number each day has ever used.
  private var highestNumbers: [Series: Int] = [:]

  /// The parts of one day of one area.
  struct Series: Hashable {
    var area: LogFileName.Area
    var day: CivilDate
  }

  /// Returns the parts of an area, sorted.
  func parts(of area: LogFileName.Area) -> [CoveredLogFile] {
    parts.values.filter { $0.name.area == area }.sorted { $0.name < $1.name }
  }

  /// Returns the covered length of a part in bytes, or 0 if it is not covered at all.
  func bytes(of part: LogFileName) -> Int { parts[part]?.bytes ?? 0 }

  /// Returns the part that a day's next records go to: its last part, or a new one if that is full, is being removed, or does not exist.
  func openPart(_ series: Series, without removed: Set<LogFileName>, partBytesTarget: Int) -> LogFileName {
    let new = newPart(series)
    guard new.number > 0 else { return new }
    let last = LogFileName(area: series.area, day: series.day, number: new.number - 1)
    if let part = parts[last], part.bytes < partBytesTarget, !removed.contains(last) { return last }
    return new
  }

  /// Returns the day's next part under a number that was never used.
  func newPart(_ series: Series) -> LogFileName {
    LogFileName(area: series.area, day: series.day, number: highestNumbers[series].map { $0 + 1 } ?? 0)
  }

  /// Applies the removals and the extents of a commit.
  mutating func apply(_ commit: Commit) throws(JournalLine.Mistake) {
    var removed: [CoveredLogFile] = []
    for name in commit.removed {
      guard let part = parts.removeValue(forKey: name) else {
        throw JournalLine.Mistake(reason: "it removes \(name), which is not there")
      }
      removed.append(part)
    }
    let origins = OlderOrigins(of: commit, removed: removed)
    for written in commit.appended {
      var extent = written
      if extent.origins.isEmpty { extent.origins = origins[extent] }
      guard extent.offset == bytes(of: extent.part), !commit.removed.contains(extent.part) else {
        throw JournalLine.Mistake(reason: "it does not continue where \(extent.part) ended")
      }
      parts[extent.part, default: CoveredLogFile(name: extent.part)].extents.append(
        CoveredLogFile.Piece(commit: commit.number, extent: extent))
      let series = Series(area: extent.part.area, day: extent.part.day)
      highestNumbers[series] = max(highestNumbers[series] ?? 0, extent.part.number)
    }
  }
}

/// A part and the extents of it that the journal covers.
public struct CoveredLogFile: Hashable, Sendable {
  /// An extent and the commit that wrote it.
  public struct Piece: Hashable, Sendable {
    public var commit: Int
    public var extent: Extent
  }

  public var name: LogFileName
  /// The extents, without gaps, from the part's first byte to its last covered one.
  public var extents: [Piece] = []

  /// The covered length in bytes.
  public var bytes: Int { extents.last.map { $0.extent.offset + $0.extent.bytes } ?? 0 }
  /// The number of lines in it.
  public var records: Int { extents.reduce(0) { $0 + $1.extent.records } }
}
