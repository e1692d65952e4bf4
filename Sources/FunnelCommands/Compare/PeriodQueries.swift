import FunnelModel
import FunnelReports

/// The queries for a comparison of two periods, and the choice of their reports for each flow.
///
/// If conversion windows of the later period are still open, the periods are compared at the same age. All
/// groups of both then count, but of the baseline only the events up to the moment when it was as old as the
/// later period is now. Window lengths differ, so the flows of one comparison may differ in this.
struct PeriodQueries {
  private let query: ReportQuery
  private let baseline: ComparedPeriod
  private let later: ComparedPeriod
  private let flows: [FlowDefinition]

  init(_ query: ReportQuery, baseline: ComparedPeriod, later: ComparedPeriod, flows: [FlowDefinition]) {
    self.query = query
    self.baseline = baseline
    self.later = later
    self.flows = flows
  }

  /// The queries, in pairs of later period and baseline.
  ///
  /// The first pair is limited to closed windows, if a flow has only those. The next is at the same age, if a
  /// flow has open windows.
  var all: [ReportQuery] { (hasClosed ? closed : []) + (hasOpen ? sameAge : []) }

  /// Returns the pair of reports to compare for a flow.
  ///
  /// - Parameter reports: The reports of ``all``, in the same order.
  func pair(for flow: FlowDefinition, of reports: [Report]) -> Report.PeriodPair {
    let isSameAge = isOpen(flow)
    let first = isSameAge && hasClosed ? closed.count : 0
    // At the same age, groups that began after that moment do not count, so the title shows the effective end.
    let counted = isSameAge ? baseline.ending(by: baselineNow) : baseline
    let isCut = baseline.begunDayCount > counted.begunDayCount
    return Report.PeriodPair(
      baseline: .init(label: baseline.label, title: counted.title, reports[first + 1], firstDay: counted.firstDay),
      later: .init(label: later.label, title: later.title, reports[first], firstDay: later.firstDay),
      sameAge: isSameAge
        ? .init(baselineMoment: baseline.text(of: baselineNow), cutBaseline: isCut ? baseline.title : nil) : nil,
      differentWeekdays: later.hasSameWeekdays(as: counted) ? nil : .init(sameDaysEarlier: later.sameDaysEarlier))
  }

  /// Whether the window of a group that began at the last instant of the later period is still open.
  private func isOpen(_ flow: FlowDefinition) -> Bool {
    let last = later.range.upperBound.milliseconds - 1
    let (end, overflow) = last.addingReportingOverflow(query.windowMilliseconds(for: flow))
    return overflow || end > query.now.milliseconds
  }

  private var hasOpen: Bool { flows.contains(where: isOpen) }
  // Without flows there is still one pair of queries.
  private var hasClosed: Bool { flows.isEmpty || flows.contains { !isOpen($0) } }

  private var closed: [ReportQuery] { [query.about(later), query.about(baseline)] }

  private var sameAge: [ReportQuery] {
    let open = query.withOpenGroups
    var ofBaseline = open.about(baseline)
    ofBaseline.now = baselineNow
    return [open.about(later), ofBaseline]
  }

  /// The moment at which the baseline was as old as the later period is now.
  private var baselineNow: Timestamp {
    Timestamp(
      milliseconds: query.now.milliseconds - later.range.lowerBound.milliseconds + baseline.range.lowerBound.milliseconds)
  }
}

extension ReportQuery {
  /// Returns the query for a period.
  fileprivate func about(_ period: ComparedPeriod) -> ReportQuery {
    var query = self
    query.since = period.range.lowerBound
    query.until = period.range.upperBound
    return query
  }
}
