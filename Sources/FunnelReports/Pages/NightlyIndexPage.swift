package import FunnelModel
import FunnelProjections
package import FunnelRendering

/// The index page of all nightly runs.
///
/// It compares the last day with the week before, shows the trend by day, and links to the pages of each day.
package struct NightlyIndexPage {
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
  package init(
    day: (date: CivilDate, report: Report), week: [Report], trend: Report, flows: [FlowDefinition], pages: [String]
  ) {
    self.day = day.date
    self.trend = trend
    self.pages = pages
    var baseline = Report(query: day.report.query)
    baseline[FunnelReport.self] = week.flatMap { $0[FunnelReport.self] ?? [] }
    baseline[GrantsReport.self] = week.flatMap { $0[GrantsReport.self] ?? [] }
    let before = "the \(week.count) days before"
    // The last day is one day of the week, while the days before it cover all of them.
    let pair = Report.PeriodPair(
      baseline: .init(label: before, title: before, baseline),
      later: .init(label: day.date.description, title: day.date.description, day.report),
      sameAge: .init(), differentWeekdays: .init(sameDaysEarlier: nil))
    comparison = day.report.comparison(ofPeriods: { _ in pair }, ComparisonSettings(), flows: flows)
    daysWithEntries = week.count { ($0[FunnelReport.self] ?? []).contains { $0.entered > 0 } }
    comparedDays = week.count
    enteredBefore = week.flatMap { $0[FunnelReport.self] ?? [] }
      .reduce(into: [:]) { days, row in days[row.key, default: []].append(row.entered) }
  }

  /// The damaged parts of the log, or `nil` if all required parts could be read.
  package var damage: ReportDamage?
  /// The alerts of the nightly run, as sentences. They are printed at the top of the page.
  package var alarms: [String] = []

  /// Returns the page as HTML.
  ///
  /// - Parameter days: The days to link to, in any order.
  package func page(of days: [CivilDate]) -> String {
    var report = trend
    report.query.since = nil
    report.query.until = nil
    report.answers = comparison.answers + trend.answers
    report.damage = damage
    report.alarms = alarms
    let days = days.sorted(by: >)
    var frame = PageFrame(title: "Onboarding, night by night")
    frame.lead = lead(latest: days.first)
    frame.tail = links(to: days)
    return HTMLRenderer.render(report.document(.long, hasPictures: true), in: frame)
  }

  /// Returns the content of the header: links to the latest day, an explanation, and the changes.
  private func lead(latest: CivilDate?) -> HTMLText {
    HTMLText {
      if let latest {
        HTMLElement("nav", ["aria-label": "The last day", "class": "tabs"], .line) {
          HTMLElement("p") { link(to: latest) }
        }
      }
      HTMLElement("p", ["class": "question"], .line) {
        "\(day.description) compared with the week before. "
        "Each earlier day is counted as it was at the age that \(day.description) has now, "
        "so people still in progress do not make \(day.description) look worse. "
        "\(day.description) is a \(day.weekdayName); \(weekBefore)."
      }
      changes
    }
  }

  /// The clause about the days of the week before.
  private var weekBefore: HTMLText {
    daysWithEntries == comparedDays
      ? "the week before has all days of the week"
      : "in the week before, people entered on \(String(daysWithEntries)) of \(String(comparedDays)) days"
  }

  /// The comparisons of the flow versions with entries on the last day or in the week before.
  private var rows: [ComparisonRow] {
    comparison.answers.flatMap { ($0 as? ReportRows<CompareReport>)?.rows ?? [] }
  }

  /// The significant changes after a correction over the tests of all flows, or a sentence that there are none.
  ///
  /// If there is an alert, the page never says that nothing changed.
  private var changes: HTMLText {
    let changes = significantChanges
    let volumes = volumes
    guard changes.isEmpty else {
      return HTMLText {
        volumes
        Self.paragraph(
          "statement",
          "Changes from the week before that are larger than chance (not adjusted for the day of the week):")
        HTMLElement("ul", [:], .block) { for change in changes { change } }
      }
    }
    if !volumes.isEmpty { return volumes }
    if rows.isEmpty {
      return Self.warning("Nobody entered a flow on \(day.description) or in the week before. Is the log complete?").html
    }
    if rows.allSatisfy({ $0.a.entered == 0 }) {
      return Self.paragraph(
        "statement", "\(day.description) can't be compared: nobody entered in the week before."
      ).html
    }
    guard alarms.isEmpty else {
      return Self.paragraph(
        nil,
        "The tables below compare only \(day.description) with the week before; each alarm names the days that it is about."
      ).html
    }
    return Self.paragraph("statement", "No clear change from the week before.").html
  }

  private var significantChanges: [HTMLElement] {
    ComparisonRow.significantTogether(in: rows).compactMap { row, metric in
      guard let a = metric.a?.rate, let b = metric.b?.rate, let difference = metric.comparison?.difference else { return nil }
      let from = HumanNumbers.percent(a.value)
      let to = HumanNumbers.percent(b.value)
      return HTMLElement("li", [:], .line) {
        Self.name(of: row.key)
        ": "
        HTMLText.isolated(metric.label)
        " \(to), \(HumanNumbers.points(difference)) points from \(from)"
      }
    }
  }

  /// The minimum mean number of entries a day at which a flow is monitored.
  private static let usualMin = 10

  /// The minimum number of days with entries at which a flow is monitored: more than half of a week.
  private static let daysWithEntriesMin = 4

  /// Warnings about flows with less than half or more than twice the usual number of entries. Their log may be
  /// incomplete, or imported twice.
  private var volumes: HTMLText {
    let warnings = rows.compactMap { row -> HTMLText? in
      let days = enteredBefore[row.key] ?? []
      let entered = row.b.entered
      // Days without entries have no row. A new log and a rarely entered flow have no usual number.
      guard days.count >= (entered == 0 ? 1 : Self.daysWithEntriesMin) else { return nil }
      let usual = days.reduce(0, +) / days.count
      guard usual >= Self.usualMin, 2 * entered < usual || entered > 2 * usual else { return nil }
      let count = entered == 0 ? "Nobody" : "\(entered < usual ? "Only " : "")\(row.noun.counted(entered))"
      return Self.warning(
        "\(count) entered \(Self.name(of: row.key)) on \(day.description); "
          + "on the days before \(HumanNumbers.count(usual)) entered on average. Is the log complete?"
      ).html
    }
    return silentFlows + warnings.joined()
  }

  /// Warnings about flows that had many entries, but none for more than a week. Replaced versions of a flow are
  /// excluded.
  private var silentFlows: HTMLText {
    let silent = (trend[TrendReport.self] ?? []).filter { row in
      !rows.contains { $0.key.app == row.key.app && $0.key.flow == row.key.flow }
    }
    return silent.compactMap { row -> HTMLText? in
      let days = row.buckets.filter { $0.entered > 0 }
      guard let last = days.last, days.count >= Self.daysWithEntriesMin, row.entered / days.count >= Self.usualMin else {
        return nil
      }
      return Self.warning(
        "Nobody entered \(Self.name(of: row.key)) after \(last.start.description), "
          + "up to \(day.description). Is the log complete?"
      ).html
    }.joined()
  }

  private static func name(of key: RowKey) -> HTMLText { key.flowReference.heading() }

  private static func warning(_ text: HTMLText) -> HTMLElement { paragraph("warning", text) }

  private static func paragraph(_ style: HTMLText?, _ text: HTMLText) -> HTMLElement {
    HTMLElement("p", ["class": style], .line) { text }
  }

  private func links(to days: [CivilDate]) -> HTMLText {
    HTMLElement("section", [:], .block) {
      HTMLElement("h2", [:], .line) { "All days" }
      HTMLElement("ul", ["class": "days"], .block) {
        for day in days { HTMLElement("li", [:], .line) { link(to: day) } }
      }
    }.html
  }

  /// Returns a day with links to its pages.
  private func link(to day: CivilDate) -> HTMLText {
    HTMLText {
      "\(day.description)"
      for page in pages {
        " · "
        PageLink(page, to: "\(day.description)/\(page).html").html
      }
    }
  }
}
