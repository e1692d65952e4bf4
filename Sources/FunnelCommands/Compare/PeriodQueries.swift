import FunnelModel
import FunnelReports

/// The questions about two periods, and which of their answers count for a flow.
///
/// A later period with open windows is compared at the same age: all of its groups count, and all of the baseline, of which only the events
/// are looked at that had happened when the baseline was as old as the later period is now. Whether windows are open depends on their length,
/// so flows of one comparison may differ in it.
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

  /// The queries: of the later period and the baseline, first as they are and then, if a flow needs it, at the same age.
  var all: [ReportQuery] { (hasClosed ? closed : []) + (hasOpen ? sameAge : []) }

  /// Returns the reports that count for a flow.
  ///
  /// - Parameter reports: The answers to ``all``.
  func pair(for flow: FlowDefinition, of reports: [Report]) -> Report.PeriodPair {
    let isSameAge = isOpen(flow)
    let first = isSameAge && hasClosed ? closed.count : 0
    // At the same age nobody counts who began after that, so people read the end that holds.
    let counted = isSameAge ? baseline.ending(by: baselineNow) : baseline
    var pair = Report.PeriodPair(
      baseline: .init(label: baseline.label, title: counted.title, reports[first + 1], firstDay: counted.firstDay),
      later: .init(label: later.label, title: later.title, reports[first], firstDay: later.firstDay), isSameAge: isSameAge,
      baselineMoment: isSameAge ? baseline.text(of: baselineNow) : nil)
    if baseline.begunDayCount > counted.begunDayCount { pair.cutBaseline = baseline.title }
    if !later.hasSameWeekdays(as: counted) {
      pair.differentWeekdays = .init(sameDaysEarlier: later.sameDaysEarlier)
    }
    return pair
  }

  /// Whether the window of a group that began at the last instant of the later period is still open.
  private func isOpen(_ flow: FlowDefinition) -> Bool {
    let last = later.range.upperBound.milliseconds - 1
    let (end, overflow) = last.addingReportingOverflow(query.windowMilliseconds(for: flow))
    return overflow || end > query.now.milliseconds
  }

  private var hasOpen: Bool { flows.contains(where: isOpen) }
  // Without any flow there is still a question.
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
  fileprivate func about(_ period: ComparedPeriod) -> ReportQuery {
    var query = self
    (query.since, query.until) = (period.range.lowerBound, period.range.upperBound)
    return query
  }
}
