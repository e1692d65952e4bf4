public import FunnelModel
import FunnelProjections

/// The index page of all nightly runs.
///
/// It compares the last day with the week before, shows the trend by day, and links to the pages of each day.
public struct NightlyIndexPage {
  /// The last completed day.
  private let day: CivilDate
  /// The comparison of the last day with the week before.
  private let comparison: Report
  /// The trend by day.
  private let trend: Report
  /// The names of the pages of a day, without their file name extension.
  private let pages: [String]
  /// The number of groups that entered each flow version on each day of the week before.
  private let enteredBefore: [RowKey: [Int]]
  /// The number of days of the week before.
  private let comparedDays: Int
  /// The number of days of the week before on which anybody entered.
  private let daysWithEntries: Int

  /// Creates the page.
  ///
  /// - Parameters:
  ///   - day: The last completed day, with the report of the groups that entered on it.
  ///   - week: The reports of the days before it, each as of the moment at which its groups were as old as those of
  ///     the last day are now. Groups in progress therefore do not bias the comparison.
  ///   - trend: The trend by day.
  ///   - flows: The flow versions in force.
  ///   - pages: The names of the pages of a day, without their file name extension.
  public init(
    day: (date: CivilDate, report: Report), week: [Report], trend: Report, flows: [FlowDefinition], pages: [String]
  ) {
    self.day = day.date
    self.trend = trend
    self.pages = pages
    var baseline = Report(query: day.report.query)
    baseline[FunnelReport.self] = week.flatMap { $0[FunnelReport.self] ?? [] }
    baseline[GrantsReport.self] = week.flatMap { $0[GrantsReport.self] ?? [] }
    let before = "the \(week.count) days before"
    var pair = Report.PeriodPair(
      baseline: .init(label: before, title: before, baseline),
      later: .init(label: day.date.description, title: day.date.description, day.report), isSameAge: true)
    // The last day is one day of the week, while the days before it cover all of them.
    pair.differentWeekdays = .init(sameDaysEarlier: nil)
    comparison = day.report.comparison(ofPeriods: { [pair] _ in pair }, ComparisonSettings(), flows: flows)
    daysWithEntries = week.count { ($0[FunnelReport.self] ?? []).contains { $0.entered > 0 } }
    comparedDays = week.count
    enteredBefore = week.flatMap { $0[FunnelReport.self] ?? [] }
      .reduce(into: [:]) { days, row in days[row.key, default: []].append(row.entered) }
  }

  /// The damaged parts of the log, or `nil` if all required parts could be read.
  public var damage: ReportDamage?
  /// The alerts of the nightly run, as sentences. They are printed at the top of the page.
  public var alarms: [String] = []

  /// Returns the page as HTML.
  ///
  /// - Parameter days: The days to link to, in any order.
  public func page(of days: [CivilDate]) -> String {
    var report = trend
    report.query.since = nil
    report.query.until = nil
    report.answers = comparison.answers + trend.answers
    var frame = PageFrame(title: "Onboarding, night by night")
    let days = days.sorted(by: >)
    frame.lead = days.first.map { "<nav aria-label=\"The last day\" class=\"tabs\"><p>\(link(to: $0))</p></nav>\n" } ?? ""
    frame.lead =
      frame.lead
      + "<p class=\"question\">\(day.description) compared with the week before. Each earlier day is counted as it was at the age that \(day.description) has now, so people still in progress do not make \(day.description) look worse. \(day.description) is a \(day.weekdayName); \(weekBefore).</p>\n"
    frame.lead = frame.lead + changes
    report.damage = damage
    report.alarms = alarms
    frame.tail = links(to: days)
    return PageRenderer.render(report, in: frame)
  }

  /// The clause about the days of the week before.
  private var weekBefore: HTMLText {
    daysWithEntries == comparedDays
      ? "the week before has all days of the week"
      : "in the week before, people entered on \(String(daysWithEntries)) of \(String(comparedDays)) days"
  }

  /// The comparisons of the flow versions with entries on the last day or in the week before.
  private var rows: [ComparisonRow] {
    comparison.answers.flatMap { ($0 as? Answer<CompareReport>)?.rows ?? [] }
  }

  /// The significant changes after a correction over the tests of all flows, or a sentence that there are none.
  ///
  /// If there is an alert, the page never claims that nothing changed.
  private var changes: HTMLText {
    var items: HTMLText = ""
    for (row, metric) in ComparisonRow.significantTogether(in: rows) {
      guard let a = metric.a?.rate, let b = metric.b?.rate, let difference = metric.comparison?.difference else { continue }
      let version: HTMLText = row.key.version.map { " v\(String($0))" } ?? ""
      let from = HumanNumbers.percent(a.value)
      let to = HumanNumbers.percent(b.value)
      let flow: HTMLText = "<li>\(row.key.app)/\(row.key.flow)\(version): \(.isolated(metric.label)) "
      items = items + flow + "\(to), \(HumanNumbers.points(difference)) points from \(from)</li>\n"
    }
    let volumes = volumes
    if !volumes.text.isEmpty, items.text.isEmpty { return volumes }
    if !rows.isEmpty, items.text.isEmpty, rows.allSatisfy({ $0.a.entered == 0 }) {
      return "<p class=\"statement\">\(day.description) can't be compared: nobody entered in the week before.</p>\n"
    }
    if rows.isEmpty {
      return
        "<p class=\"warning\">Nobody entered a flow on \(day.description) or in the week before. Is the log complete?</p>\n"
    }
    if items.text.isEmpty, !alarms.isEmpty {
      return
        "<p>The tables below compare only \(day.description) with the week before; each alarm names the days that it is about.</p>\n"
    }
    return items.text.isEmpty
      ? "<p class=\"statement\">No clear change from the week before.</p>\n"
      : volumes
        + "<p class=\"statement\">Changes from the week before that are larger than chance (not adjusted for the day of the week):</p>\n<ul>\n"
        + items + "</ul>\n"
  }

  /// The minimum mean number of entries a day at which a flow is monitored.
  private static let usualMin = 10

  /// The minimum number of days with entries at which a flow is monitored: more than half of a week.
  private static let daysWithEntriesMin = 4

  /// Warnings about flows with less than half or more than twice the usual number of entries. Their log may be
  /// incomplete, or imported twice.
  private var volumes: HTMLText {
    var warnings: HTMLText = ""
    for row in rows {
      let days = enteredBefore[row.key] ?? []
      let entered = row.b.entered
      // Days without entries have no row. A new log and a rarely entered flow have no usual number.
      guard days.count >= (entered == 0 ? 1 : Self.daysWithEntriesMin) else { continue }
      let usual = days.reduce(0, +) / days.count
      guard usual >= Self.usualMin, 2 * entered < usual || entered > 2 * usual else { continue }
      let version: HTMLText = row.key.version.map { " v\(String($0))" } ?? ""
      let count: HTMLText = entered == 0 ? "Nobody" : "\(entered < usual ? "Only " : "")\(row.noun.counted(entered))"
      warnings =
        warnings + "<p class=\"warning\">\(count) entered \(row.key.app)/\(row.key.flow)\(version) on \(day.description); "
        + "on the days before \(HumanNumbers.count(usual)) entered on average. Is the log complete?</p>\n"
    }
    return silentFlows + warnings
  }

  /// Warnings about flows that had many entries, but none for more than a week. Replaced versions of a flow are
  /// excluded.
  private var silentFlows: HTMLText {
    var warnings: HTMLText = ""
    for row in trend[TrendReport.self] ?? []
    where !rows.contains(where: { $0.key.app == row.key.app && $0.key.flow == row.key.flow }) {
      let days = row.buckets.filter { $0.entered > 0 }
      guard let last = days.last, days.count >= Self.daysWithEntriesMin, row.entered / days.count >= Self.usualMin else {
        continue
      }
      let version: HTMLText = row.key.version.map { " v\(String($0))" } ?? ""
      warnings =
        warnings
        + "<p class=\"warning\">Nobody entered \(row.key.app)/\(row.key.flow)\(version) after \(last.start.description), "
        + "up to \(day.description). Is the log complete?</p>\n"
    }
    return warnings
  }

  private func links(to days: [CivilDate]) -> HTMLText {
    var list: HTMLText = "<section>\n<h2>All days</h2>\n<ul class=\"days\">\n"
    for day in days { list = list + "<li>\(link(to: day))</li>\n" }
    return list + "</ul>\n</section>\n"
  }

  /// Returns a day with links to its pages.
  private func link(to day: CivilDate) -> HTMLText {
    pages.reduce("\(day.description)" as HTMLText) { text, page in
      text + " · <a href=\"\(day.description)/\(page).html\">\(page)</a>"
    }
  }
}
