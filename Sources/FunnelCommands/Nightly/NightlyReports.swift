import FunnelHistories
import FunnelStore
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelSystem

/// The reports of the days that are over, as files.
///
/// All ranges end at the midnight today began with, in the zone asked for: a run at 03:00 and one at 23:00 write the same days. The present
/// is the run's, so that who began yesterday may still be in progress. A run for the same day replaces the files.
struct NightlyReports {
  /// A range and the name its files begin with.
  private static let ranges: [(name: String, days: Int)] = [("yesterday", 1), ("7d", 7), ("30d", 30)]
  private static let latest = "latest"

  /// The last day that is over; the folder is named after it.
  let day: CivilDate
  private let root: StoragePath
  private let now: Timestamp
  private let timeZone: TimeZoneRules
  private let fileSystem = LocalFileSystem()

  /// Reports below a folder, which is made where it is missing.
  ///
  /// - Throws: `cannotCreate` where it can't be made.
  init(folder: String, now: Timestamp, timeZone: TimeZoneRules) throws(FunnelError) {
    root = StoragePath(folder)
    self.now = now
    self.timeZone = timeZone
    day = CivilDate(daysSinceEpoch: timeZone.day(at: now.milliseconds).daysSinceEpoch - 1)
    try fileSystem.createSharedDirectories(root)
  }

  /// Where the reports of this day go.
  var dayFolder: StoragePath { root.inside(day.description) }

  /// Writes every report in every format, each file all or nothing, then once more as the latest unless a newer day is there.
  ///
  /// - Returns: what of the log could not be read for them; nil where all could.
  func write(from store: StoreReader, catalog: FlowCatalog, threads: Int) throws(FunnelError) -> ReportDamage? {
    let (files, damage) = try render(from: store.tolerating(), catalog: catalog, threads: threads)
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

  /// All files by name. The store is read once: the ranges differ only in which groups count.
  private func render(
    from store: StoreReader, catalog: FlowCatalog, threads: Int
  ) throws(FunnelError) -> (files: [(name: String, bytes: [UInt8])], ReportDamage?) {
    let flows = Set(catalog.definitions.indices)
    var indexedCommit = 0
    let reports = try StoreHistories.with(
      of: store, catalog: catalog, query: query(days: nil), flows: flows, threads: threads, progress: { _ in },
      indexed: { indexedCommit = $0 }
    ) { (histories) throws(FunnelError) in
      var reports: [(name: String, report: Report)] = []
      for (name, days) in Self.ranges {
        let report = try ReportFold.report(
          from: histories, catalog: catalog, flows: flows, query: query(days: days), selection: .all, threads: threads)
        reports.append((name, report))
      }
      return reports
    }
    let damage = DamagedLog.damage(of: store, indexedUpTo: indexedCommit)
    var files: [(name: String, bytes: [UInt8])] = []
    for (name, var report) in reports {
      report.damage = damage
      for (ending, part, format) in Self.parts(of: report) {
        files.append(("\(name).\(ending)", Array(try ReportRenderer.render(part, as: format).utf8)))
      }
    }
    return (files, damage)
  }

  /// The files one report becomes; CSV holds one kind of row a file.
  private static func parts(of report: Report) -> [(ending: String, part: Report, format: ReportFormat)] {
    [
      ("json", report, .json), ("md", report, .markdown),
      ("funnel.csv", Report(query: report.query, funnel: report.funnel), .csv),
      ("grants.csv", Report(query: report.query, grants: report.grants), .csv),
      ("dropoff.csv", Report(query: report.query, dropoff: report.dropoff), .csv),
    ]
  }

  /// The question about so many days, the last of them yesterday; about everything where none is given.
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
    // What a run left behind that was killed while it wrote.
    for name in try fileSystem.list(folder) where AtomicFile.isTemporary(name) {
      try fileSystem.remove(folder.inside(name))
    }
    for (name, bytes) in files { try AtomicFile.write(folder.inside(name), bytes, permissions: .shared) }
  }

  /// The newest day there are reports of, if it is after this one: the run was asked for a day gone by.
  private func newerDay() throws(FunnelError) -> CivilDate? {
    try fileSystem.list(root).compactMap { CivilDate($0) }.max().flatMap { $0 > day ? $0 : nil }
  }
}
