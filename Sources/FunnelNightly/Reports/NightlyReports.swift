package import FunnelKit
package import FunnelModel
import FunnelRendering
import FunnelReports
package import FunnelSystem

/// Writes the reports of completed days as files: one folder for each day, and `latest`. A later run for the
/// same day replaces the files.
package struct NightlyReports {
  /// The name of the folder with the reports of the newest day.
  private static let latest = "latest"
  /// The name of the overview page.
  private static let indexPage = "index.html"
  /// The largest number of earlier days without reports for which a run also writes reports.
  private static let missedDaysMax = 35

  /// The folder of the reports.
  package let root: StoragePath
  private let fileSystem = LocalFileSystem()
  private let monitor: any OperationMonitor

  /// Creates a writer for a folder, which is created if it is missing.
  ///
  /// - Throws: `cannotCreate` if the folder cannot be created.
  package init(folder: String, monitor: any OperationMonitor) throws(FunnelError) {
    self.monitor = monitor
    root = StoragePath(folder)
    try fileSystem.createSharedDirectories(root)
  }

  /// Returns the folder for the reports of a day.
  func folder(of day: CivilDate) -> StoragePath { root.inside(day.description) }

  /// Returns the days between the newest reports and a day, for which no nightly run has completed. At most
  /// ``missedDaysMax``.
  func missedDays(before day: CivilDate) throws(FunnelError) -> [CivilDate] {
    guard let newest = try days().filter({ $0 < day }).max() else { return [] }
    let first = max(newest.daysSinceEpoch + 1, day.daysSinceEpoch - Self.missedDaysMax)
    return (first..<max(first, day.daysSinceEpoch)).map(CivilDate.init(daysSinceEpoch:))
  }

  /// Writes every report as JSON, Markdown and CSV, each file atomically.
  ///
  /// The reports of the last day are also written to `latest`, unless that has reports of a newer day.
  func write(_ numbers: NightlyRunNumbers) throws(FunnelError) {
    for day in numbers.days {
      let files = try Self.files(of: day.ranges, numbers.damage, Self.data(of:))
      try write(files, into: folder(of: day.day))
      if try isLast(day, of: numbers) { try write(files, into: root.inside(Self.latest)) }
    }
    if let newer = try newerDay(than: numbers) {
      monitor.note(
        "\(root.inside(Self.latest).description.printable) was not changed, it has reports of the newer day \(newer), delete them if they are wrong"
      )
    }
  }

  /// Writes every report as an HTML page, to the same folders as ``write(_:)``, and the overview page.
  ///
  /// - Parameter alarms: The alarms shown at the top of the pages of the last day.
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

  /// Removes temporary files of a nightly run that was killed. The caller must hold the ``NightlyRunLock``.
  func removeStaleFiles() throws(FunnelError) {
    let folders = [root, root.inside(Self.latest)] + (try days().max().map { [folder(of: $0)] } ?? [])
    for folder in folders { try AtomicFile.removeTemporaries(in: folder, fileSystem: fileSystem) }
  }

  /// A file of a report: its name suffix, the report to render and the format.
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

  /// Returns the data files of a report. A CSV file contains only one type of row, so there are several.
  private static func data(of report: Report) -> [Part] {
    [("json", report, .json), ("md", report, .markdown)] + report.separated.map { ("\($0.name).csv", $0.report, .csv) }
  }

  private func write(_ files: [(name: String, bytes: [UInt8])], into folder: StoragePath) throws(FunnelError) {
    try fileSystem.createSharedDirectories(folder)
    for (name, bytes) in files { try AtomicFile.write(folder.inside(name), bytes, permissions: .shared) }
  }

  /// Whether a day is the last one of the run and no newer day has reports.
  private func isLast(_ day: NightlyRunNumbers.DayReports, of numbers: NightlyRunNumbers) throws(FunnelError) -> Bool {
    guard day.day == numbers.days.last?.day else { return false }
    return try newerDay(than: numbers) == nil
  }

  /// Returns the newest day with reports if it is later than the run's last day, otherwise `nil`. It is later
  /// if the run is for a past day.
  private func newerDay(than numbers: NightlyRunNumbers) throws(FunnelError) -> CivilDate? {
    guard let last = numbers.days.last?.day, let newest = try days().max() else { return nil }
    return newest > last ? newest : nil
  }

  /// Returns the days that have reports.
  private func days() throws(FunnelError) -> [CivilDate] { try fileSystem.list(root).compactMap { CivilDate($0) } }
}
