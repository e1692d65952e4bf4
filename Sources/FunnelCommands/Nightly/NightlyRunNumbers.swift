import FunnelHistories
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports
import FunnelStore

/// All numbers of a night. The store is read once for them: they differ only in which groups count. Only the days that the last one is compared
/// with are each of another moment, and read for themselves.
struct NightlyRunNumbers {
  /// The reports of one day's folder.
  struct DayReports {
    let day: CivilDate
    let ranges: [(name: String, report: Report)]

    /// Returns the reports with the number of internal subjects that they leave out.
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

  /// The reports of the last day, and of days before it that have none yet.
  let days: [DayReports]
  let trend: Report
  /// The days before the last one, as they were when they were as old as it is now.
  let week: [Report]
  /// The numbers of each day; nil if no database is written.
  let byDay: Report?
  /// The numbers of the last closed days of each flow version that has groups.
  let recent: [RecentNumbers]
  /// The parts of the log that could not be read.
  let damage: ReportDamage?
  /// What the numbers can't show.
  let notes: [String]

  /// Computes the numbers.
  ///
  /// - Parameters:
  ///   - store: A reader that tolerates damage.
  ///   - missed: Days before the last one that have no reports yet.
  ///   - countsByDay: Whether the numbers of each day are wanted.
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
        let (of, before) = (
          try report(queries.recent, .comparison, flows: Set(indices)),
          try report(queries.baseline, .comparison, flows: Set(indices))
        )
        for index in indices {
          let flow = catalog.definitions[index]
          guard known.contains(where: { $0.app == flow.app && $0.flow == flow.flow && $0.version == flow.version }) else {
            continue
          }
          recent.append(RecentNumbers(flow, recent: of, baseline: before))
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
