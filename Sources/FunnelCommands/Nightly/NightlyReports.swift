import FunnelHistories
import FunnelStore
import FunnelModel
import FunnelReports
import FunnelSystem

/// The reports of the completed days, as files.
///
/// All ranges end at the last midnight in the requested time zone: a run at 03:00 and one at 23:00 write the same days. The reports use
/// the time of the run as the present, so groups that began yesterday may still be under way. A run on the same day replaces the files.
struct NightlyReports {
  /// The ranges, with the prefixes of their file names.
  private static let ranges: [(name: String, days: Int)] = [("yesterday", 1), ("7d", 7), ("30d", 30)]
  private static let latest = "latest"

  /// The last completed day, which names the folder.
  let day: CivilDate
  private let root: StoragePath
  private let now: Timestamp
  private let timeZone: TimeZoneRules
  private let fileSystem = LocalFileSystem()

  /// Creates reports in a folder, which is created if it is missing.
  ///
  /// - Throws: `cannotCreate` if the folder can't be created.
  init(folder: String, now: Timestamp, timeZone: TimeZoneRules) throws(FunnelError) {
    root = StoragePath(folder)
    self.now = now
    self.timeZone = timeZone
    day = CivilDate(daysSinceEpoch: timeZone.day(at: now.milliseconds).daysSinceEpoch - 1)
    try fileSystem.createSharedDirectories(root)
  }

  /// The folder for the reports of this day.
  var dayFolder: StoragePath { root.inside(day.description) }

  /// Writes every report in every format, each file atomically, and then again to the folder of the latest reports unless it holds those
  /// of a newer day.
  ///
  /// - Returns: The parts of the log that could not be read, or nil if all could.
  func write(from store: StoreReader, catalog: FlowCatalog, threads: Int) throws(FunnelError) -> ReportDamage? {
    let (files, damage, notes) = try render(from: store.tolerating(), catalog: catalog, threads: threads)
    Console.notes(notes)
    try write(files, into: dayFolder)
    if let newer = try newerDay() {
      Console.complain(
        "\(root.inside(Self.latest).description.printable) is left as it is, there are reports of \(newer), remove them if they are wrong"
      )
    } else {
      try write(files, into: root.inside(Self.latest))
    }
    return damage
  }

  /// Returns all files by name. The store is read only once: the ranges differ only in which groups count.
  private func render(
    from store: StoreReader, catalog: FlowCatalog, threads: Int
  ) throws(FunnelError) -> (files: [(name: String, bytes: [UInt8])], ReportDamage?, notes: [String]) {
    let flows = Set(catalog.definitions.indices)
    let folded = try StoreHistories.fold(
      store, catalog: catalog, query: query(days: nil), flows: flows, threads: threads
    ) { (histories) throws(FunnelError) in
      var reports: [(name: String, report: Report)] = []
      for (name, days) in Self.ranges {
        let report = try Report(
          of: histories, catalog: catalog, flows: flows, query: query(days: days), selection: .standard, threads: threads)
        reports.append((name, report))
      }
      return reports
    }
    let damage = DamagedLog.damage(of: store, indexedUpTo: folded.indexedCommit)
    var files: [(name: String, bytes: [UInt8])] = []
    for (name, var report) in folded.result {
      report.damage = damage
      for (ending, part, format) in Self.parts(of: report) {
        files.append(("\(name).\(ending)", Array(try ReportRenderer.render(part, as: format).utf8)))
      }
    }
    let entries = folded.result.first { $0.name == Self.ranges.last?.name }?.report.entries ?? []
    let notes = FlowNotes(entries: entries, contents: folded.contents, catalog: catalog).lines
    return (files, damage, damage == nil ? notes : [])
  }

  /// Returns the files of one report; a CSV file contains one kind of row.
  private static func parts(of report: Report) -> [(ending: String, part: Report, format: ReportFormat)] {
    [("json", report, .json), ("md", report, .markdown)]
      + report.separated.map { ("\($0.name).csv", $0.report, .csv) }
  }

  /// Returns a query for a number of days up to and including yesterday, or for all time if `days` is nil.
  private func query(days: Int?) -> ReportQuery {
    var query = ReportQuery(now: now)
    query.timeZone = timeZone
    guard let days else { return query }
    let today = day.daysSinceEpoch + 1
    query.since = timeZone.midnight(of: CivilDate(daysSinceEpoch: today - days))
    query.until = timeZone.midnight(of: CivilDate(daysSinceEpoch: today))
    return query
  }

  private func write(_ files: [(name: String, bytes: [UInt8])], into folder: StoragePath) throws(FunnelError) {
    try fileSystem.createSharedDirectories(folder)
    // Remove temporary files of a run that was killed while it wrote.
    for name in try fileSystem.list(folder) where AtomicFile.isTemporary(name) {
      try fileSystem.remove(folder.inside(name))
    }
    for (name, bytes) in files { try AtomicFile.write(folder.inside(name), bytes, permissions: .shared) }
  }

  /// Returns the newest day with reports if it is later than this one, which is the case if the run is for a past day.
  private func newerDay() throws(FunnelError) -> CivilDate? {
    try fileSystem.list(root).compactMap { CivilDate($0) }.max().flatMap { $0 > day ? $0 : nil }
  }
}
