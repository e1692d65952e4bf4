import FunnelModel
import FunnelReports
import FunnelSystem

/// The reports of the completed days, as files. A run on the same day replaces the files.
struct NightlyReports {
  private static let latest = "latest"
  private static let indexPage = "index.html"
  /// The number of days without reports that a run makes up for.
  private static let missedDaysMax = 35

  let root: StoragePath
  private let fileSystem = LocalFileSystem()

  /// Creates reports in a folder, which is created if it is missing.
  ///
  /// - Throws: `cannotCreate` if the folder can't be created.
  init(folder: String) throws(FunnelError) {
    root = StoragePath(folder)
    try fileSystem.createSharedDirectories(root)
  }

  /// Returns the folder for the reports of a day.
  func folder(of day: CivilDate) -> StoragePath { root.inside(day.description) }

  /// Returns the days before one that have no reports, after the newest that has some: no run came to an end on the nights after them.
  func missedDays(before day: CivilDate) throws(FunnelError) -> [CivilDate] {
    guard let newest = try days().filter({ $0 < day }).max() else { return [] }
    let first = max(newest.daysSinceEpoch + 1, day.daysSinceEpoch - Self.missedDaysMax)
    return (first..<max(first, day.daysSinceEpoch)).map(CivilDate.init(daysSinceEpoch:))
  }

  /// Writes every report as JSON, Markdown and CSV, each file atomically, and those of the last day again to the folder of the latest
  /// reports unless it holds those of a newer day.
  func write(_ numbers: NightlyRunNumbers) throws(FunnelError) {
    for day in numbers.days {
      let files = try Self.files(of: day.ranges, numbers.damage, Self.data(of:))
      try write(files, into: folder(of: day.day))
      if try isLast(day, of: numbers) { try write(files, into: root.inside(Self.latest)) }
    }
    if let newer = try newerDay(than: numbers) {
      Console.complain(
        "\(root.inside(Self.latest).description.printable) was not changed, it has reports of the newer day \(newer), delete them if they are wrong"
      )
    }
  }

  /// Writes the pages, likewise, and the page over all nights.
  ///
  /// - Parameter alarms: The sentences that stand first on the pages of the last day.
  func writePages(_ numbers: NightlyRunNumbers, flows: [FlowDefinition], alarms: [String]) throws(FunnelError) {
    for day in numbers.days {
      let own = day.day == numbers.days.last?.day ? alarms : []
      let files = try Self.files(of: day.ranges, numbers.damage) { report in
        var report = report
        report.alarms = own
        return [("html", report, .html)]
      }
      try write(files, into: folder(of: day.day))
      if try isLast(day, of: numbers) { try write(files, into: root.inside(Self.latest)) }
    }
    guard try newerDay(than: numbers) == nil, let last = numbers.days.last, let yesterday = last.ranges.first?.report else {
      return
    }
    var index = NightlyIndexPage(
      day: (last.day, yesterday), week: numbers.week, trend: numbers.trend, flows: flows,
      pages: NightlyRunDays.ranges.map(\.name))
    index.damage = numbers.damage
    index.alarms = alarms
    try write([(Self.indexPage, Array(index.page(of: try days()).utf8))], into: root)
  }

  /// Removes the temporary files of a night that was killed while it wrote. The caller holds the night's lock.
  func removeStaleFiles() throws(FunnelError) {
    let folders = [root, root.inside(Self.latest)] + (try days().max().map { [folder(of: $0)] } ?? [])
    for folder in folders { try AtomicFile.removeTemporaries(in: folder, fileSystem: fileSystem) }
  }

  private typealias Part = (ending: String, part: Report, format: ReportFormat)

  /// Returns the files of the reports of one day.
  private static func files(
    of ranges: [(name: String, report: Report)], _ damage: ReportDamage?, _ parts: (Report) -> [Part]
  ) throws(FunnelError) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    for (name, var report) in ranges {
      report.damage = damage
      for (ending, part, format) in parts(report) {
        files.append(("\(name).\(ending)", Array(try ReportRenderer.render(part, as: format).utf8)))
      }
    }
    return files
  }

  /// Returns the files of one report that are no pages; a CSV file contains one kind of row.
  private static func data(of report: Report) -> [Part] {
    [("json", report, .json), ("md", report, .markdown)] + report.separated.map { ("\($0.name).csv", $0.report, .csv) }
  }

  private func write(_ files: [(name: String, bytes: [UInt8])], into folder: StoragePath) throws(FunnelError) {
    try fileSystem.createSharedDirectories(folder)
    for (name, bytes) in files { try AtomicFile.write(folder.inside(name), bytes, permissions: .shared) }
  }

  private func isLast(_ day: NightlyRunNumbers.DayReports, of numbers: NightlyRunNumbers) throws(FunnelError) -> Bool {
    guard day.day == numbers.days.last?.day else { return false }
    return try newerDay(than: numbers) == nil
  }

  /// Returns the newest day with reports if it is later than the last one, which is the case if the run is for a past day.
  private func newerDay(than numbers: NightlyRunNumbers) throws(FunnelError) -> CivilDate? {
    guard let last = numbers.days.last?.day, let newest = try days().max() else { return nil }
    return newest > last ? newest : nil
  }

  /// Returns the days that have reports.
  private func days() throws(FunnelError) -> [CivilDate] { try fileSystem.list(root).compactMap { CivilDate($0) } }
}
