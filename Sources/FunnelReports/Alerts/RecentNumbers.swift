package import FunnelModel
import FunnelRendering

/// The numbers of a flow version in its last closed days, and in the days before as a baseline.
///
/// A day is closed when the conversion windows of all its groups are. After that, only late events change its
/// numbers.
package struct RecentNumbers: Sendable {
  // Both periods are whole weeks, in which each weekday has the same weight.
  /// The number of recent days.
  package static let recentDays = 7
  /// The number of days in the baseline.
  package static let baselineDays = 28

  package let flow: FlowDefinition
  /// The end of the recent days: the last midnight before which the windows of all groups are closed.
  package let end: Timestamp
  /// The first and the last of the recent days.
  let days: ClosedRange<CivilDate>
  /// The noun for the groups that are counted.
  let noun: CountedNoun
  let recent: ComparisonSide
  let baseline: ComparisonSide

  /// The queries for the recent days and for the baseline.
  package struct Queries: Sendable {
    package let recent: ReportQuery
    package let baseline: ReportQuery
  }

  /// Returns the queries as of a moment.
  ///
  /// - Parameter window: The conversion window, in milliseconds.
  package static func queries(now: Timestamp, windowMilliseconds: Int64, timeZone: TimeZoneRules) -> Queries {
    let closed = now.milliseconds - windowMilliseconds
    let day = timeZone.day(at: closed)
    let end = timeZone.midnight(of: day)
    // Calendar days, which may have 23 or 25 hours.
    func before(_ days: Int) -> Timestamp { timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch - days)) }
    var query = ReportQuery(now: now)
    query.timeZone = timeZone
    var recent = query
    recent.since = before(recentDays)
    recent.until = end
    var baseline = query
    baseline.since = before(recentDays + baselineDays)
    baseline.until = before(recentDays)
    return Queries(recent: recent, baseline: baseline)
  }

  /// Creates the numbers of a flow version from two reports.
  ///
  /// - Parameters:
  ///   - recent: The report of the recent days, with the rows of `ReportSelection.comparison`.
  ///   - baseline: The report of the days before, with the same rows.
  package init(_ flow: FlowDefinition, recent: Report, baseline: Report) {
    precondition(recent.query.until != nil, "recent days have an end")
    precondition(baseline.query.until == recent.query.since, "the baseline ends where the recent days begin")
    self.flow = flow
    end = recent.query.until ?? recent.query.now
    let next = recent.query.timeZone.day(at: end.milliseconds).daysSinceEpoch
    days = CivilDate(daysSinceEpoch: next - Self.recentDays)...CivilDate(daysSinceEpoch: next - 1)
    noun = CountedNoun(of: recent.query, flow)
    self.recent = recent.side("the last \(Self.recentDays) closed days", flow)
    self.baseline = baseline.side("the \(Self.baselineDays) days before", flow)
  }

  /// The number of groups that entered on the recent days.
  package var entered: Int { recent.entered }
  /// The share of them that completed, or `nil` if none entered.
  package var conversion: Double? { recent.conversion.rate?.value }
  /// The share that reached each step, of those that entered. Empty if none entered.
  package var reached: [(step: String, ratio: Double)] {
    guard entered > 0 else { return [] }
    return flow.steps.compactMap { step in
      let counts = recent.funnel.compactMap { row in row.steps.first { $0.id == step.id }?.reached }
      guard counts.count == recent.funnel.count else { return nil }
      return (step.id, Double(counts.reduce(0, +)) / Double(entered))
    }
  }
  /// The share that granted each permission, of those that were prompted. Permissions without a prompt are omitted.
  package var grants: [(permission: String, ratio: Double)] {
    flow.permissions.compactMap { permission in
      recent.answers(to: permission.name)?.granted.rate.map { (permission.name, $0.value) }
    }
  }

  /// The comparisons of the recent days with the baseline, with the metric names of `funnel compare`.
  var metrics: [ComparisonMetric] { ComparisonRow.metrics(baseline, recent) }
}
