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
    private(set) var ranges: [(name: String, report: Report)]

    /// Computes the reports of the days that end with a day.
    fileprivate init(of day: CivilDate, _ days: NightlyRunDays, _ events: StoreEvents) throws(FunnelError) {
      self.day = day
      ranges = try NightlyRunDays.ranges.map { (name, count) throws(FunnelError) in
        (name, try events.report(days.query(days: count, endingWith: day), .standard))
      }
    }

    /// Returns the reports with the number of internal subjects that they exclude.
    fileprivate func without(internalSubjects: Int) -> DayReports {
      var reports = self
      for index in ranges.indices { reports.ranges[index].report.internalSubjects = internalSubjects }
      return reports
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
    let pass = try StorePass.run(over: store, catalog: catalog, query: days.byDay, threads: threads) {
      (events) throws(FunnelError) in
      OnePass(
        days: try (missed + [days.last]).map { (day) throws(FunnelError) in
          try DayReports(of: day, days, events)
        },
        trend: try events.report(days.trend, ReportSelection(TrendReport.self)),
        byDay: countsByDay ? try events.report(days.byDay, .standard) : nil,
        recent: try Self.recent(days, catalog, events))
    }
    damage = pass.damage
    self.days = pass.result.days.map { $0.without(internalSubjects: pass.internalSubjects) }
    trend = pass.result.trend
    byDay = pass.result.byDay
    recent = pass.result.recent
    let lastEvent = try pass.lastEvent()
    week = try (1...NightlyRunDays.comparedDays).map { (daysBefore) throws(FunnelError) in
      let query = days.atSameAge(daysBefore: daysBefore, lastEvent: lastEvent)
      return try StorePass.run(over: store, catalog: catalog, query: query, threads: threads) {
        (events) throws(FunnelError) in
        try events.report(query, .comparison)
      }.result
    }
    let entries = pass.result.days.last?.ranges.last?.report.entries ?? []
    notes = (damage == nil ? pass.notes(on: entries) : []) + Report.internalNotes(pass.internalSubjects)
  }

  /// The numbers that one pass over the store gives.
  private struct OnePass {
    let days: [DayReports]
    let trend: Report
    let byDay: Report?
    let recent: [RecentNumbers]
  }

  /// Returns the numbers of the last closed days of each flow version that has groups, sorted by its reference.
  private static func recent(
    _ days: NightlyRunDays, _ catalog: FlowCatalog, _ events: StoreEvents
  ) throws(FunnelError) -> [RecentNumbers] {
    let known = Set(try events.report(days.always, .comparison)[FunnelReport.self]?.map(\.key) ?? [])
    var recent: [RecentNumbers] = []
    // Flow versions with the same window have the same last closed days.
    let indicesByWindow = Dictionary(grouping: catalog.definitions.indices) { catalog.definitions[$0].window.milliseconds }
    for (window, indices) in indicesByWindow {
      let queries = RecentNumbers.queries(now: days.now, windowMilliseconds: window, timeZone: days.timeZone)
      let newest = try events.report(queries.recent, .comparison, flows: Set(indices))
      let baseline = try events.report(queries.baseline, .comparison, flows: Set(indices))
      for flow in indices.map({ catalog.definitions[$0] })
      where known.contains(where: { $0.app == flow.app && $0.flow == flow.flow && $0.version == flow.version }) {
        recent.append(RecentNumbers(flow, recent: newest, baseline: baseline))
      }
    }
    return recent.sorted { ($0.flow.app, $0.flow.flow, $0.flow.version) < ($1.flow.app, $1.flow.flow, $1.flow.version) }
  }
}
