import FunnelModel
import FunnelProjections

/// The named reports that share a query. The chain of each group is matched once for all of them.
struct ReportCounting: Sendable {
  let query: ReportQuery
  private(set) var reports: [any NamedReport.Type]
  /// Whether to count also the groups that never enter a flow (``EntryProjector``) and those that lack the keys
  /// of the query.
  let countsEntries: Bool
  /// Whether to count also the groups with several values of a key (``MixedProjector``).
  var countsMixed = false
  /// The number of dimensions that the reports add to those of the query, such as the trend's day.
  var addedDimensionCount = 0

  /// The projectors of the reports and of their notes.
  var projectors: [any Projector.Type] {
    reports.map { $0.projector } + (countsEntries ? [EntryProjector.self] : [])
      + (countsFunnelToo ? [FunnelProjector.self] : []) + (countsLate ? [LateProjector.self] : [])
      + (countsOtherOrder ? [OtherOrderProjector.self] : [])
      + (countsAnchorCoverage ? [KeyCoverageProjector.self] : [])
      + (countsGrantCoverage ? [GrantCoverageProjector.self] : []) + (countsMixed ? [MixedProjector.self] : [])
  }

  /// Whether the funnel is counted only for its notes (``Report/funnelRows``).
  private var countsFunnelToo: Bool {
    countsEntries && !reports.contains { $0 == FunnelReport.self } && reports.contains(where: Self.bringsFunnelNotes)
  }

  /// Returns whether a report has notes from the rows of the funnel, such as the number that finished in
  /// another order.
  static func bringsFunnelNotes(_ report: any NamedReport.Type) -> Bool {
    // Outcomes and access do not depend on the order of steps. For reports that do not match the chain, matching it
    // only for the notes would cost more than the report itself.
    report.projector.readsChain && report != OutcomesReport.self && report != AccessReport.self
  }

  /// Whether to count the groups that reach their next step after the window. A window that the query names is meant.
  private var countsLate: Bool {
    countsEntries && query.window == nil && query.order == .ordered && reports.contains(where: Self.bringsFunnelNotes)
  }

  /// Whether to count the groups that enter optional steps in another order. Only the funnel has a number of each optional step.
  private var countsOtherOrder: Bool {
    countsEntries && query.order != .any && reports.contains { $0 == FunnelReport.self }
  }

  private var countsGrants: Bool { reports.contains { $0 == GrantsReport.self } }

  /// Whether to count the groups that lack the keys of the query at their anchor. The grants report does not
  /// use the anchor.
  private var countsAnchorCoverage: Bool {
    countsEntries && query.readsEventValues && !(countsGrants && reports.count == 1)
  }

  /// Whether to count the groups that lack the keys of the query at their first pre-prompt of a permission.
  private var countsGrantCoverage: Bool { query.readsEventValues && countsGrants }

  /// The query and the projectors, as a parameter of ``ProjectionFold``.
  var counting: ProjectionFold.Counting { ProjectionFold.Counting(query: query, projectors: projectors) }

  /// Returns the countings of a selection, in the order of the reports. There is at least one, and the first
  /// one counts entries if the selection has notes.
  static func countings(of selection: ReportSelection, for query: ReportQuery) -> [ReportCounting] {
    var countings = countings(of: selection.reports, for: query, hasNotes: selection.hasNotes)
    guard selection.countsMixed, query.by.contains(where: { $0.stored == $0 }) else { return countings }
    // Groups that the query excludes because of several values must be included here.
    var complete = query
    complete.dropsMixed = false
    if let index = countings.firstIndex(where: { $0.query == complete }) {
      countings[index].countsMixed = true
    } else {
      countings.append(ReportCounting(query: complete, reports: [], countsEntries: false, countsMixed: true))
    }
    return countings
  }

  private static func countings(
    of reports: [any NamedReport.Type], for query: ReportQuery, hasNotes: Bool
  ) -> [ReportCounting] {
    var countings: [ReportCounting] = []
    for report in reports {
      let counted = report.counted(query)
      if let index = countings.firstIndex(where: { $0.query == counted }) {
        countings[index].reports.append(report)
      } else {
        countings.append(
          ReportCounting(
            query: counted, reports: [report], countsEntries: hasNotes && countings.isEmpty,
            addedDimensionCount: counted.by.count - query.by.count))
      }
    }
    return countings.isEmpty ? [ReportCounting(query: query, reports: [], countsEntries: true)] : countings
  }
}

extension ReportCounting {
  /// Returns the rows of the reports of this counting that have one of the names.
  func answers(from counts: [FlowCounts], namedIn names: [String]) -> [any AnyReportRows] {
    reports.filter { names.contains($0.name) }.map { $0.answer(from: counts) }
  }

  /// Returns the rows of the funnel, or an empty array if it was not counted.
  func funnelRows(from counts: [FlowCounts]) -> [FunnelRow] {
    guard countsEntries else { return [] }
    let rows = counts.flatMap { $0.rows(of: FunnelProjector.self) ?? [] }
    return addedDimensionCount == 0 ? rows : FunnelRow.summed(rows, withoutLast: addedDimensionCount)
  }

  /// Returns the groups that reached their next step after the window, or an empty array if they were not counted.
  func late(from counts: [FlowCounts]) -> [LateGroups] { counts.flatMap { $0.rows(of: LateProjector.self) ?? [] } }

  /// Returns the groups that entered optional steps in another order, or an empty array if they were not counted.
  func otherOrder(from counts: [FlowCounts]) -> [OtherOrderGroups] {
    counts.flatMap { $0.rows(of: OtherOrderProjector.self) ?? [] }
  }

  /// Returns the entries of each flow version, or `nil` if they were not counted.
  func entries(from counts: [FlowCounts]) -> [FlowEntries]? {
    countsEntries ? counts.flatMap { $0.rows(of: EntryProjector.self) ?? [] } : nil
  }

  /// Returns the number of groups of each flow version that have the keys of the query, at their anchor and at
  /// their pre-prompts.
  func coverage(from counts: [FlowCounts]) -> [KeyCoverage] {
    counts.flatMap { ($0.rows(of: KeyCoverageProjector.self) ?? []) + ($0.rows(of: GrantCoverageProjector.self) ?? []) }
  }

  /// Returns the groups with several values of a key, or `nil` if they were not counted.
  func mixed(from counts: [FlowCounts]) -> [MixedGroups]? {
    countsMixed ? counts.flatMap { $0.rows(of: MixedProjector.self) ?? [] } : nil
  }
}
