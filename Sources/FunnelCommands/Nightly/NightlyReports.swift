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
  private static let indexPage = "index.html"
  /// The number of days before the last one that the index compares it with, and of days that it draws.
  private static let (comparedDays, drawnDays) = (7, 30)

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
    let night = try render(from: store.tolerating(), catalog: catalog, threads: threads)
    Console.notes(night.notes)
    try write(night.files, into: dayFolder)
    if let newer = try newerDay() {
      Console.complain(
        "\(root.inside(Self.latest).description.printable) is left as it is, there are reports of \(newer), remove them if they are wrong"
      )
    } else {
      try write(night.files, into: root.inside(Self.latest))
      try write([(Self.indexPage, Array(night.index.page(of: try days()).utf8))], into: root)
    }
    return night.damage
  }

  /// What a night writes.
  private struct Night {
    var files: [(name: String, bytes: [UInt8])] = []
    var index: NightIndexPage
    var damage: ReportDamage?
    var notes: [String]
  }

  /// Renders all files. For the ranges the store is read only once: they differ only in which groups count. Each day that the last one
  /// is compared with is of another moment, and read for itself.
  private func render(from store: StoreReader, catalog: FlowCatalog, threads: Int) throws(FunnelError) -> Night {
    let flows = Set(catalog.definitions.indices)
    let folded = try StoreHistories.fold(
      store, catalog: catalog, query: query(days: nil), flows: flows, threads: threads
    ) { (histories) throws(FunnelError) in
      func report(_ query: ReportQuery, _ selection: ReportSelection) throws(FunnelError) -> Report {
        try Report(of: histories, catalog: catalog, flows: flows, query: query, selection: selection, threads: threads)
      }
      var ranges: [(name: String, report: Report)] = []
      for (name, days) in Self.ranges { ranges.append((name, try report(query(days: days), .standard))) }
      var trend = query(days: Self.drawnDays)
      trend.every = .day
      return (ranges: ranges, trend: try report(trend, ReportSelection(TrendReport.self)))
    }
    let damage = DamagedLog.damage(of: store, indexedUpTo: folded.indexedCommit)
    let (ranges, trend) = folded.result
    var week: [Report] = []
    for days in 1...Self.comparedDays {
      week.append(try reportAtSameAge(daysBefore: days, from: store, catalog: catalog, threads: threads))
    }
    var night = Night(
      index: NightIndexPage(
        day: (day, ranges[0].report), week: week, trend: trend, flows: catalog.definitions, pages: Self.ranges.map(\.name)),
      damage: damage,
      notes: damage != nil
        ? [] : FlowNotes(entries: ranges.last?.report.entries ?? [], contents: folded.contents, catalog: catalog).lines)
    night.index.damage = damage
    for (name, var report) in ranges {
      report.damage = damage
      for (ending, part, format) in Self.parts(of: report) {
        night.files.append(("\(name).\(ending)", Array(try ReportRenderer.render(part, as: format).utf8)))
      }
    }
    return night
  }

  /// Returns the files of one report; a CSV file contains one kind of row.
  private static func parts(of report: Report) -> [(ending: String, part: Report, format: ReportFormat)] {
    [("json", report, .json), ("md", report, .markdown), ("html", report, .html)]
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

  /// Returns the report of a day before the last one, as of the moment at which it was as long ago as the last one is now.
  private func reportAtSameAge(
    daysBefore: Int, from store: StoreReader, catalog: FlowCatalog, threads: Int
  ) throws(FunnelError) -> Report {
    func midnight(_ days: Int) -> Timestamp { timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + days)) }
    var query = query(days: nil)
    query.since = midnight(-daysBefore)
    query.until = midnight(1 - daysBefore)
    query.now = Timestamp(milliseconds: query.until!.milliseconds + now.milliseconds - midnight(1).milliseconds)
    let (question, flows) = (query, Set(catalog.definitions.indices))
    return try StoreHistories.fold(store, catalog: catalog, query: question, flows: flows, threads: threads) {
      (histories) throws(FunnelError) in
      try Report(of: histories, catalog: catalog, flows: flows, query: question, selection: .comparison, threads: threads)
    }.result
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
    try days().max().flatMap { $0 > day ? $0 : nil }
  }

  /// Returns the days that have reports.
  private func days() throws(FunnelError) -> [CivilDate] { try fileSystem.list(root).compactMap { CivilDate($0) } }
}
