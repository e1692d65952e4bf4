public import FunnelModel
import FunnelProjections

/// The numbers of a flow version's last seven closed days, and of the 28 days before: whole weeks, so that each weekday counts alike.
///
/// A day is closed when the window of all its groups is, so that nothing but late events changes its numbers.
public struct RecentNumbers: Sendable {
  /// The days of the recent numbers and of those before.
  public static let (recentDays, baselineDays) = (7, 28)

  public let flow: FlowDefinition
  /// The end of the recent days: the last midnight at which the window of all groups before it had closed.
  public let end: Timestamp
  /// The first and the last of the recent days.
  let days: ClosedRange<CivilDate>
  /// What is counted of the flow.
  let noun: CountedNoun
  let recent: ComparisonSide
  let baseline: ComparisonSide

  /// The queries of the recent days and of those before, for flows with a window.
  public struct Queries: Sendable {
    public let recent: ReportQuery
    public let baseline: ReportQuery
  }

  /// Returns the queries of a moment.
  ///
  /// - Parameter window: The conversion window, in milliseconds.
  public static func queries(now: Timestamp, windowMilliseconds: Int64, timeZone: TimeZoneRules) -> Queries {
    let closed = now.milliseconds - windowMilliseconds
    let day = timeZone.day(at: closed)
    let end = timeZone.midnight(of: day)
    // Days of the calendar, some of which have 23 or 25 hours.
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

  /// - Parameters:
  ///   - recent: The report of the recent days, with the rows of `ReportSelection.comparison`.
  ///   - baseline: That of the days before.
  public init(_ flow: FlowDefinition, recent: Report, baseline: Report) {
    precondition(recent.query.until != nil, "recent days have an end")
    self.flow = flow
    end = recent.query.until ?? recent.query.now
    let next = recent.query.timeZone.day(at: end.milliseconds).daysSinceEpoch
    days = CivilDate(daysSinceEpoch: next - Self.recentDays)...CivilDate(daysSinceEpoch: next - 1)
    noun = CountedNoun(of: recent.query, flow)
    self.recent = recent.side("the last 7 closed days", flow)
    self.baseline = baseline.side("the 28 days before", flow)
  }

  /// The number that entered on the recent days.
  public var entered: Int { recent.entered }
  /// The share of them that completed; nil if there are none.
  public var conversion: Double? { recent.conversion.rate?.value }
  /// The share that reached each step, of those that entered; none if there are none.
  public var reached: [(step: String, ratio: Double)] {
    guard entered > 0 else { return [] }
    return flow.steps.compactMap { step in
      let counts = recent.funnel.compactMap { row in row.steps.first { $0.id == step.id }?.reached }
      guard counts.count == recent.funnel.count else { return nil }
      return (step.id, Double(counts.reduce(0, +)) / Double(entered))
    }
  }
  /// The share that granted each permission, of those that were prompted; permissions nobody was asked for are left out.
  public var grants: [(permission: String, ratio: Double)] {
    flow.permissions.compactMap { permission in
      recent.answers(to: permission.name)?.granted.rate.map { (permission.name, $0.value) }
    }
  }

  /// What the recent days are compared in, by the names of `funnel compare`.
  var metrics: [ComparisonMetric] { ComparisonRow.metrics(baseline, recent) }
}
