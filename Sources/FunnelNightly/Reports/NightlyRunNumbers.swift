import FunnelDecoding
import FunnelSequences
import FunnelIndex
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelStore

/// All numbers of a nightly run.
///
/// One pass over the store computes them all, because they differ only in the groups that count. The exception
/// is ``week``: each of its days is as of another moment and needs a pass of its own.
struct NightlyRunNumbers {
  /// The reports of one day's folder.
  struct DayReports {
    let day: CivilDate
    let ranges: [(name: String, report: Report)]

    /// Returns the reports with the number of internal subjects that they exclude.
    fileprivate func without(internalSubjects: Int) -> DayReports {
      DayReports(
        day: day,
        ranges: ranges.map { name, report in
          var report = report
          report.internalSubjects = internalSubjects
          return (name, report)
        })
    }
  }

  /// The reports of the missed days and, at the end, of the last day.
  let days: [DayReports]
  /// The trend for the overview page.
  let trend: Report
  /// The days before the last one, newest first, each as of the moment when it was as old as the last day is now.
  let week: [Report]
  /// The numbers by day for the database, or `nil` if no database is written.
  let byDay: Report?
  /// The numbers of the last closed days of each flow version that has groups.
  let recent: [RecentNumbers]
  /// The gzip members of the log that could not be read, or `nil` if the log is intact.
  let damage: ReportDamage?
  /// The notes on what the numbers do not show.
  let notes: [String]

  /// Computes the numbers.
  ///
  /// - Parameters:
  ///   - store: A reader that tolerates damage.
  ///   - missed: Days before the last one that have no reports yet.
  ///   - countsByDay: Whether to compute ``byDay``.
  init(
    of store: StoreReader, catalog: FlowCatalog, days: NightlyRunDays, missed: [CivilDate], countsByDay: Bool, threads: Int
  ) throws(FunnelError) {
    typealias Folded = (days: [DayReports], trend: Report, byDay: Report?, recent: [RecentNumbers])
    let flows = Set(catalog.definitions.indices)
    let folded = try StoreSequences.fold(store, catalog: catalog, query: days.byDay, flows: flows, threads: threads) {
      (sequences) throws(FunnelError) -> Folded in
      func report(
        _ query: ReportQuery, _ selection: ReportSelection, flows: Set<Int> = flows
      ) throws(FunnelError) -> Report {
        try Report(of: sequences, catalog: catalog, flows: flows, query: query, selection: selection, threads: threads)
      }
      var reports: [DayReports] = []
      for day in missed + [days.last] {
        var ranges: [(name: String, report: Report)] = []
        for (name, count) in NightlyRunDays.ranges {
          ranges.append((name, try report(days.query(days: count, endingWith: day), .standard)))
        }
        reports.append(DayReports(day: day, ranges: ranges))
      }
      var recent: [RecentNumbers] = []
      let known = Set(try report(days.always, .comparison)[FunnelReport.self]?.map(\.key) ?? [])
      for (window, indices) in Dictionary(grouping: flows, by: { catalog.definitions[$0].window.milliseconds }) {
        let queries = RecentNumbers.queries(now: days.now, windowMilliseconds: window, timeZone: days.timeZone)
        let newest = try report(queries.recent, .comparison, flows: Set(indices))
        let baseline = try report(queries.baseline, .comparison, flows: Set(indices))
        for index in indices {
          let flow = catalog.definitions[index]
          guard known.contains(where: { $0.app == flow.app && $0.flow == flow.flow && $0.version == flow.version }) else {
            continue
          }
          recent.append(RecentNumbers(flow, recent: newest, baseline: baseline))
        }
      }
      recent.sort { ($0.flow.app, $0.flow.flow, $0.flow.version) < ($1.flow.app, $1.flow.flow, $1.flow.version) }
      return (
        reports, try report(days.trend, ReportSelection(TrendReport.self)),
        countsByDay ? try report(days.byDay, .standard) : nil,
        recent
      )
    }
    damage = DamagedLog.damage(of: store, indexedUpTo: folded.indexedCommit)
    self.days = folded.result.days.map { $0.without(internalSubjects: folded.internalSubjects) }
    trend = folded.result.trend
    byDay = folded.result.byDay
    recent = folded.result.recent
    let lastEvent = try folded.contents.count().span?.upperBound
    var week: [Report] = []
    for count in 1...NightlyRunDays.comparedDays {
      let query = days.atSameAge(daysBefore: count, lastEvent: lastEvent)
      week.append(
        try StoreSequences.fold(store, catalog: catalog, query: query, flows: flows, threads: threads) {
          (sequences) throws(FunnelError) in
          try Report(of: sequences, catalog: catalog, flows: flows, query: query, selection: .comparison, threads: threads)
        }.result)
    }
    self.week = week
    let entries = folded.result.days.last?.ranges.last?.report.entries ?? []
    notes =
      (damage != nil ? [] : FlowNotes(entries: entries, contents: folded.contents, catalog: catalog).lines)
      + Report.internalNotes(folded.internalSubjects)
  }
}
